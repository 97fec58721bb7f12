"""Plants each fault that check_layers.py must find into a small checkout."""

import pathlib
import tempfile
import unittest

from check_layers import MAX_FILES, MAX_LINES, check


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

    def test_refuses_a_dependency_upwards(self):
        self.area("http", deps="base identity")
        self.assert_found("src/http/CMakeLists.txt: http may not depend on identity")

    def test_refuses_a_dependency_sideways(self):
        self.area("storage", deps="base http")
        self.assert_found("src/storage/CMakeLists.txt: storage may not depend on http")

    def test_reads_the_dependencies_of_every_target_of_an_area(self):
        self.write("src/app/CMakeLists.txt", "spindle_library(NAME app)\nspindle_executable(NAME x DEPS nowhere)\n")
        self.assert_found("src/app/CMakeLists.txt: app may not depend on nowhere")

    def test_accepts_rooms_that_depend_on_each_other_in_one_direction(self):
        self.area("json/text", deps="base")
        self.area("json/tree", deps="base json/text", sources="tree.cpp")
        self.write("src/json/tree/tree.cpp", '#include "json/text/writer.h"\n')
        self.assert_found()

    def test_refuses_a_cycle_of_rooms(self):
        self.area("json/text", deps="json/tree")
        self.area("json/tree", deps="json/text")
        self.assert_found(
            "src/json/text/CMakeLists.txt: json/text depends on itself through other rooms",
            "src/json/tree/CMakeLists.txt: json/tree depends on itself through other rooms",
        )

    def test_refuses_an_undeclared_include_of_another_room(self):
        self.area("json/text", deps="base")
        self.area("json/tree", deps="base")
        self.write("src/json/tree/tree.h", '#include "json/text/writer.h"\n')
        self.assert_found("src/json/tree/tree.h:1: may not include json/text/")

    def test_refuses_a_dependency_on_an_area_that_has_only_rooms(self):
        self.area("json/text", deps="base")
        self.area("http", deps="base json")
        self.assert_found("src/http/CMakeLists.txt: http may not depend on json")

    def test_lets_a_program_build_on_the_ground_layers_only(self):
        self.area("engine", deps="base http identity")
        self.assert_found("src/engine/CMakeLists.txt: engine may not depend on identity")

    def test_refuses_an_undeclared_include(self):
        self.write("src/http/router.h", '#pragma once\n#include "storage/database.h"\n')
        self.assert_found("src/http/router.h:2: may not include storage/")

    def test_refuses_a_vendors_name_outside_its_area(self):
        self.area("wire", deps="base")
        self.write("src/wire/spelling.h", '"wb_user_id"\n')
        self.write("src/http/router.h", '#pragma once\n// the Weave SDK\n')
        self.assert_found("src/http/router.h:2: only wire may spell a vendor's name")

    def test_lets_only_tests_include_test_dependencies(self):
        self.area("identity", deps="base http storage TEST_DEPS config", sources="user_test.cpp user.cpp")
        self.area("config", deps="base")
        (self.root / "src/identity/user_api.cpp").unlink()
        (self.root / "src/identity/user_repository.cpp").unlink()
        self.write("src/identity/user_test.cpp", '#include "config/settings.h"\n')
        self.write("src/identity/user.cpp", '#include "config/settings.h"\n')
        self.assert_found("src/identity/user.cpp:1: may not include config/")

    def test_refuses_a_library_outside_its_area(self):
        self.write("src/storage/database.h", "#include <boost/asio/io_context.hpp>\n")
        self.assert_found("src/storage/database.h:1: only http may include boost/asio")

    def test_refuses_an_area_without_rank_or_build(self):
        self.area("utils")
        self.write("src/events/bus.h", "")
        self.assert_found(
            "src/utils: give this area a rank in tools/check_layers.py",
            "src/events: has no CMakeLists.txt",
        )

    def test_refuses_a_source_outside_the_build(self):
        self.write("src/base/id.cpp", "")
        self.assert_found("src/base/id.cpp: is not in src/base/CMakeLists.txt")

    def test_refuses_a_folder_with_too_many_files(self):
        for number in range(MAX_FILES):
            self.write(f"src/base/part{number}.h", "")
        self.assert_found(f"src/base: {MAX_FILES + 1} files, more than {MAX_FILES}")

    def test_refuses_a_long_file(self):
        self.write("src/base/id.h", "\n" * (MAX_LINES + 1))
        self.write("tests/http/server.test.mjs", "\n" * (MAX_LINES + 1))
        self.write("tests/node_modules/theirs.mjs", "\n" * (MAX_LINES + 1))
        self.assert_found(
            f"src/base/id.h: {MAX_LINES + 1} lines, more than {MAX_LINES}",
            f"tests/http/server.test.mjs: {MAX_LINES + 1} lines, more than {MAX_LINES}",
        )


if __name__ == "__main__":
    unittest.main()
