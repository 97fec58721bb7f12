#include "tracing/metadata/annotation_queue.h"

#include <gtest/gtest.h>

namespace spindle::tracing {
namespace {

using State = AnnotationState;

enum class Outcome { kMoves, kStays, kRefused };

Outcome outcomeOf(std::optional<State> stored, State wanted) {
  const Result<bool> moves = checkTransition(stored, wanted);
  if (!moves) {
    EXPECT_EQ(moves.error().code(), ErrorCode::kInvalidArgument);
    return Outcome::kRefused;
  }
  return *moves ? Outcome::kMoves : Outcome::kStays;
}

TEST(AnnotationStates, MoveForwardOnly) {
  struct Case {
    std::optional<State> stored;
    State wanted = State::kUnstarted;
    Outcome outcome = Outcome::kRefused;
  };
  const Case cases[] = {
      {std::nullopt, State::kUnstarted, Outcome::kRefused},
      {std::nullopt, State::kInProgress, Outcome::kMoves},
      {std::nullopt, State::kCompleted, Outcome::kMoves},
      {std::nullopt, State::kSkipped, Outcome::kMoves},
      {State::kInProgress, State::kUnstarted, Outcome::kRefused},
      {State::kInProgress, State::kInProgress, Outcome::kStays},
      {State::kInProgress, State::kCompleted, Outcome::kMoves},
      {State::kInProgress, State::kSkipped, Outcome::kMoves},
      {State::kCompleted, State::kUnstarted, Outcome::kRefused},
      {State::kCompleted, State::kInProgress, Outcome::kRefused},
      {State::kCompleted, State::kCompleted, Outcome::kStays},
      {State::kCompleted, State::kSkipped, Outcome::kRefused},
      {State::kSkipped, State::kUnstarted, Outcome::kRefused},
      {State::kSkipped, State::kInProgress, Outcome::kRefused},
      {State::kSkipped, State::kCompleted, Outcome::kRefused},
      {State::kSkipped, State::kSkipped, Outcome::kStays},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(outcomeOf(each.stored, each.wanted), each.outcome)
        << textOf(each.stored.value_or(State::kUnstarted)) << " to " << textOf(each.wanted);
  }
}

TEST(AnnotationStates, ParseFromTheirNames) {
  for (const State state :
       {State::kUnstarted, State::kInProgress, State::kCompleted, State::kSkipped})
    EXPECT_EQ(annotationStateOf(textOf(state)), state);
  EXPECT_EQ(annotationStateOf("done"), std::nullopt);
  EXPECT_EQ(annotationStateOf(""), std::nullopt);
}

}  // namespace
}  // namespace spindle::tracing
