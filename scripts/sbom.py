"""Writes the software bill of materials (SPDX 2.3) of what lies below a directory that becomes a package.

    sbom.py NAME VERSION COMPONENTS DIR FILE

lists in FILE, which lies below DIR, each other file with its sums, and what others' sources are inside: a line of COMPONENTS
names one of Debian's source packages and its version, and Debian's text on its licence lies in third-party, next to FILE.
It has the time SOURCE_DATE_EPOCH, so the same files have the same bill.
"""

import hashlib
import os
import re
import sys
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import quote

from spdx_tools.common.spdx_licensing import spdx_licensing
from spdx_tools.spdx.model import (
    Actor, ActorType, Checksum, ChecksumAlgorithm, CreationInfo, Document, ExternalPackageRef, ExternalPackageRefCategory, File,
    Package, Relationship, RelationshipType, SpdxNoAssertion)
from spdx_tools.spdx.spdx_element_utils import calculate_package_verification_code
from spdx_tools.spdx.writer.write_anything import write_file

OURS = spdx_licensing.parse("Apache-2.0")
PACKAGE = "SPDXRef-Package"


def bill_of(name: str, version: str, components: list[tuple[str, str]], root: Path, licences: Path, bill: Path) -> Document:
    files = [file_of(number, path, root) for number, path in enumerate(files_below(root, bill))]
    verification = calculate_package_verification_code(files)
    made = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), timezone.utc).replace(tzinfo=None)
    package = Package(
        PACKAGE, name, SpdxNoAssertion(), version=version, files_analyzed=True, verification_code=verification,
        license_concluded=SpdxNoAssertion(), license_declared=OURS, copyright_text=SpdxNoAssertion())
    others = [component_of(*component, licences) for component in components]
    contained = [element.spdx_id for element in [*files, *others]]
    return Document(
        CreationInfo("SPDX-2.3", "SPDXRef-DOCUMENT", name, f"https://spdx.org/spdxdocs/{name}-{version}-{verification.value}",
                     [Actor(ActorType.TOOL, "scripts/package")], made),
        packages=[package, *others], files=files,
        relationships=[Relationship("SPDXRef-DOCUMENT", RelationshipType.DESCRIBES, PACKAGE),
                       *(Relationship(PACKAGE, RelationshipType.CONTAINS, spdx_id) for spdx_id in contained)])


def files_below(root: Path, bill: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink() and path != bill)


def file_of(number: int, path: Path, root: Path) -> File:
    content = path.read_bytes()
    sums = [Checksum(ChecksumAlgorithm.SHA1, hashlib.sha1(content).hexdigest()),
            Checksum(ChecksumAlgorithm.SHA256, hashlib.sha256(content).hexdigest())]
    return File(f"./{path.relative_to(root)}", f"SPDXRef-File-{number}", sums)


def component_of(name: str, version: str, licences: Path) -> Package:
    """A source package of Debian. What it says of licences is for people to read: the names are its own, not SPDX's."""
    named = sorted(set(re.findall(r"^License: *(\S.*?) *$", (licences / name).read_text(), re.MULTILINE)))
    comment = f"third-party/{name} has the licences' texts" + (f". Their names there: {'; '.join(named)}" if named else "")
    address = f"pkg:deb/debian/{quote(name)}@{quote(version)}?arch=source"
    return Package(
        f"SPDXRef-Component-{re.sub('[^A-Za-z0-9.-]', '-', name)}", name, SpdxNoAssertion(), version=version, files_analyzed=False,
        supplier=Actor(ActorType.ORGANIZATION, "Debian"), license_concluded=SpdxNoAssertion(), license_declared=SpdxNoAssertion(),
        license_comment=comment, copyright_text=SpdxNoAssertion(),
        external_references=[ExternalPackageRef(ExternalPackageRefCategory.PACKAGE_MANAGER, "purl", address)])


def main() -> None:
    name, version, listed, root, bill = sys.argv[1:]
    components = [(source, of) for source, of in map(str.split, Path(listed).read_text().splitlines())]
    licences = Path(bill).parent / "third-party"
    write_file(bill_of(name, version, components, Path(root), licences, Path(bill)), bill, validate=True)


if __name__ == "__main__":
    main()
