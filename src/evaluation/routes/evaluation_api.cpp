#include "evaluation/routes/evaluation_api.h"

#include "http/router/router.h"

namespace spindle::evaluation {

void addEvaluationRoutes(http::Router& router,
                         const EvaluationServices& services,
                         const http::RoutePolicy& policy) {
  addEvaluationObjectRoutes(router, services, policy);
  addRunRoutes(router, services, policy);
  addPredictionRoutes(router, services, policy);
  addResultRoutes(router, services, policy);
}

}  // namespace spindle::evaluation
