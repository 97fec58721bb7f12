#pragma once

#include <memory>

namespace spindle {

/// A std::unique_ptr to a type that is only declared where its owner is declared. It stores how to
/// delete the object, so the owner needs no destructor and no move functions of its own.
template <class T>
using OpaquePtr = std::unique_ptr<T, void (*)(T*)>;

/// Returns the same object as an OpaquePtr. T must be defined here.
template <class T>
OpaquePtr<T> opaque(std::unique_ptr<T> object) {
  return OpaquePtr<T>(object.release(), [](T* owned) { delete owned; });
}

}  // namespace spindle
