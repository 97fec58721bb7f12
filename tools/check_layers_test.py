"""Tests check_layers.py with small checkouts that contain one violation each."""

import pathlib
import tempfile
import unittest

from check_layers import MAX_LINES, check


class CheckLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.area("base")
        self.area("http", deps="base")
        self.area("storage", deps="base")
        self.area("identity", deps="base http storage", sources="user_api.cpp user_repository.cpp")
        self.write("src/identity/user_api.cpp", '#include "http/router.h"\n')
        self.write("src/identity/user_repository.cpp", '#include "storage/database.h"\n')

    def area(self, name: str, deps: str = "", sources: str = ""):
        deps = f"DEPS {deps} " if deps else ""
        self.write(f"src/{name}/CMakeLists.txt", f"spindle_library(NAME {name} SOURCES {sources} {deps}LIBS x)\n")

    def write(self, name: str, text: str):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def assert_found(self, *expected: str):
        self.assertEqual(check(self.root), list(expected))

    def test_accepts_a_checkout_in_order(self):
        self.assert_found()

    def test_rejects_a_dependency_upwards(self):
        self.area("http", deps="base identity")
        self.assert_found("src/http/CMakeLists.txt: http may not depend on identity")

    def test_rejects_a_dependency_sideways(self):
        self.area("storage", deps="base http")
        self.assert_found("src/storage/CMakeLists.txt: storage may not depend on http")

    def test_reads_the_dependencies_of_every_target_of_an_area(self):
        self.write("src/app/CMakeLists.txt", "spindle_library(NAME app)\nspindle_executable(NAME x DEPS nowhere)\n")
        self.assert_found("src/app/CMakeLists.txt: app may not depend on nowhere")

    def test_lets_a_program_build_on_the_ground_layers_only(self):
        self.area("engine", deps="base http identity")
        self.assert_found("src/engine/CMakeLists.txt: engine may not depend on identity")

    def test_rejects_an_undeclared_include(self):
        self.write("src/http/router.h", '#pragma once\n#include "storage/database.h"\n')
        self.assert_found("src/http/router.h:2: may not include storage/")

    def test_rejects_a_vendors_name_outside_its_area(self):
        self.area("wire", deps="base")
        self.write("src/wire/spelling.h", '"wb_user_id"\n')
        self.write("src/http/router.h", '#pragma once\n// the Weave SDK\n')
        self.assert_found("src/http/router.h:2: only wire may spell a vendor's name")

    def test_rejects_http_in_a_domain_file(self):
        self.write("src/identity/user.h", '#include "http/router.h"\n')
        self.assert_found("src/identity/user.h:1: may not include http/")

    def test_rejects_storage_in_an_api_file(self):
        self.write("src/identity/user_api.cpp", '#include "storage/database.h"\n')
        self.assert_found("src/identity/user_api.cpp:1: may not include storage/")

    def test_lets_a_test_see_all_that_is_declared(self):
        self.write("src/identity/user_test.h", '#include "http/router.h"\n#include "storage/database.h"\n')
        self.assert_found()

    def test_rejects_a_library_outside_its_area(self):
        self.write("src/storage/database.h", "#include <boost/asio/io_context.hpp>\n")
        self.assert_found("src/storage/database.h:1: only http may include boost/asio")

    def test_rejects_an_area_without_rank_or_build(self):
        self.area("utils")
        self.write("src/events/bus.h", "")
        self.assert_found(
            "src/events: has no CMakeLists.txt",
            "src/utils: give this area a rank in tools/check_layers.py",
        )

    def test_rejects_a_source_outside_the_build(self):
        self.write("src/base/id.cpp", "")
        self.assert_found("src/base/id.cpp: is not in src/base/CMakeLists.txt")

    def test_rejects_a_long_file(self):
        self.write("src/base/id.h", "\n" * (MAX_LINES + 1))
        self.write("tests/http/server.test.mjs", "\n" * (MAX_LINES + 1))
        self.write("tests/node_modules/theirs.mjs", "\n" * (MAX_LINES + 1))
        self.assert_found(
            f"src/base/id.h: {MAX_LINES + 1} lines, more than {MAX_LINES}",
            f"tests/http/server.test.mjs: {MAX_LINES + 1} lines, more than {MAX_LINES}",
        )


if __name__ == "__main__":
    unittest.main()
