"""What scripts/sbom.py says of a small tree, read again by SPDX's own tools."""

import hashlib
import os
import site
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "build" / "tools" / "python"
for packages in TOOLS.glob("lib/python3*/site-packages"):
    site.addsitedir(str(packages))
try:
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
except ImportError:
    print("scripts/install-dependencies --tests has not fetched spdx-tools.")
    sys.exit(77)

SCRIPT = ROOT / "scripts" / "sbom.py"


class Bill(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.work = Path(directory.name)
        self.doc = self.work / "tree/usr/share/doc/ontime"
        (self.doc / "third-party").mkdir(parents=True)
        (self.doc / "third-party/g++lib").write_text("Files: *\nLicense: Expat\nLicense: BSD-3-clause \n The text.\n")
        self.program = self.work / "tree/usr/bin/ontime"
        self.program.parent.mkdir()
        self.program.write_bytes(b"program")
        (self.work / "components").write_text("g++lib 1:2.0+ds-1~deb12u1\n")

    def make(self):
        bill = self.doc / "sbom.spdx.json"
        made = subprocess.run([TOOLS / "bin" / "python", SCRIPT, "ontime", "1.2.3", self.work / "components", self.work / "tree", bill],
                              env=os.environ | {"SOURCE_DATE_EPOCH": "1000000000"}, capture_output=True, text=True)
        return made, bill

    def test_is_valid_and_names_files_and_components(self):
        made, bill = self.make()
        self.assertEqual(made.returncode, 0, made.stderr)
        document = parse_file(str(bill))
        self.assertEqual(validate_full_spdx_document(document), [])
        self.assertEqual(str(document.creation_info.created), "2001-09-09 01:46:40")
        sums = {file.name: [sum.value for sum in file.checksums] for file in document.files}
        self.assertEqual(sums["./usr/bin/ontime"], [hashlib.sha1(b"program").hexdigest(), hashlib.sha256(b"program").hexdigest()])
        self.assertEqual(list(sums), ["./usr/bin/ontime", "./usr/share/doc/ontime/third-party/g++lib"])
        ours, other = document.packages
        self.assertEqual((ours.name, ours.version, str(ours.license_declared)), ("ontime", "1.2.3", "Apache-2.0"))
        self.assertEqual((other.name, other.version), ("g++lib", "1:2.0+ds-1~deb12u1"))
        self.assertIn("BSD-3-clause; Expat", other.license_comment)
        self.assertEqual(other.external_references[0].locator, "pkg:deb/debian/g%2B%2Blib@1%3A2.0%2Bds-1~deb12u1?arch=source")
        contained = {of.related_spdx_element_id for of in document.relationships if of.spdx_element_id == ours.spdx_id}
        self.assertEqual(contained, {other.spdx_id, *(file.spdx_id for file in document.files)})

    def test_is_the_same_again_and_does_not_list_itself(self):
        first = self.make()[1].read_bytes()
        self.assertEqual(self.make()[1].read_bytes(), first)
        self.program.write_bytes(b"another")
        self.assertNotEqual(self.make()[1].read_bytes(), first)

    def test_a_component_without_its_licence_is_refused(self):
        (self.doc / "third-party/g++lib").unlink()
        made, bill = self.make()
        self.assertNotEqual(made.returncode, 0)
        self.assertIn("g++lib", made.stderr)
        self.assertFalse(bill.exists())


if __name__ == "__main__":
    unittest.main()
