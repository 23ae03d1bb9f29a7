"""Archives of files, packed in memory."""

import io
import tarfile
import zipfile


def tar_bytes(files, mode="w:gz", links=()):
    """A tar archive of `files`, then of links {name: (type, target)}."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        for name, kind, target in links:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, target
            tar.addfile(member)
    return buffer.getvalue()


def zip_bytes(files):
    """A zip archive of `files`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def debian_bytes(files):
    """An `ar` archive of three members, as Debian packages are; the first has an odd length."""
    members = {"debian-binary": b"2.0", "control.tar.xz": b"....", "data.tar.xz": tar_bytes(files, "w:xz")}
    content = b"!<arch>\n"
    for name, data in members.items():
        content += (
            f"{name:16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)
        )
    return content
