# Finds the DuckDB C library: target DuckDB::DuckDB, variable DuckDB_VERSION.
#
# scripts/setup.sh installs it into native/prefix; -DDuckDB_ROOT=<prefix> selects another copy.
set(DuckDB_NATIVE_PREFIX ${CMAKE_CURRENT_LIST_DIR}/../native/prefix)
cmake_path(NORMAL_PATH DuckDB_NATIVE_PREFIX)

find_path(DuckDB_INCLUDE_DIR duckdb.h HINTS ${DuckDB_NATIVE_PREFIX} PATH_SUFFIXES include)
find_library(DuckDB_LIBRARY duckdb HINTS ${DuckDB_NATIVE_PREFIX} PATH_SUFFIXES lib)
mark_as_advanced(DuckDB_INCLUDE_DIR DuckDB_LIBRARY)

# Neither file contains the version in a form that CMake can read, so it is read from the lock file.
if(DuckDB_LIBRARY)
  cmake_path(IS_PREFIX DuckDB_NATIVE_PREFIX ${DuckDB_LIBRARY} NORMALIZE DuckDB_IS_OURS)
  if(DuckDB_IS_OURS)
    set(DuckDB_LOCK ${DuckDB_NATIVE_PREFIX}/../package-lock.json)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${DuckDB_LOCK})
    file(READ ${DuckDB_LOCK} DuckDB_LOCK)
    string(JSON DuckDB_VERSION GET ${DuckDB_LOCK} packages node_modules/duckdb version)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  DuckDB
  REQUIRED_VARS DuckDB_LIBRARY DuckDB_INCLUDE_DIR
  VERSION_VAR DuckDB_VERSION
  REASON_FAILURE_MESSAGE "Run scripts/setup.sh, which fetches it, or pass -DDuckDB_ROOT=<prefix>.")

if(DuckDB_FOUND AND NOT TARGET DuckDB::DuckDB)
  add_library(DuckDB::DuckDB SHARED IMPORTED)
  set_target_properties(DuckDB::DuckDB PROPERTIES
    IMPORTED_LOCATION ${DuckDB_LIBRARY}
    IMPORTED_SONAME libduckdb.so
    INTERFACE_INCLUDE_DIRECTORIES ${DuckDB_INCLUDE_DIR})
endif()
