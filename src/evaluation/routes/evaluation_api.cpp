#include "evaluation/routes/evaluation_api.h"

#include "http/router/route_group.h"

namespace spindle::evaluation {

void addEvaluationRoutes(EvaluationRoutes routes) {
  routes.setTag("evaluations");
  addEvaluationObjectRoutes(routes);
  addRunRoutes(routes);
  addPredictionRoutes(routes);
  addResultRoutes(routes);
}

}  // namespace spindle::evaluation
