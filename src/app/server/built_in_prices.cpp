#include "app/server/built_in_prices.h"

#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "http/router/static_assets.h"
#include "pricing/price_file.h"

namespace spindle::http {

std::span<const Asset> priceAssets();

}  // namespace spindle::http

namespace spindle::app {

std::vector<pricing::Price> builtInPrices() {
  std::vector<pricing::Price> prices;
  for (const http::Asset& asset : http::priceAssets()) {
    Result<pricing::PriceFile> file = pricing::readBuiltInPriceFile(std::string(asset.bytes));
    if (!file) throw std::runtime_error(file.error().message());
    std::move(file->prices.begin(), file->prices.end(), std::back_inserter(prices));
  }
  return prices;
}

}  // namespace spindle::app
