"""`repairlab environment`: container images, fetched and unpacked without a daemon."""

from typing import Annotated

import typer

from repairlab.cli.options import Json
from repairlab.cli.output import count, print_json, print_table, say, write
from repairlab.languages.language import default_cache
from repairlab.sandbox.images import Image, ImageStore

Name = Annotated[str, typer.Argument(metavar="IMAGE", help="Its reference, or at least 6 letters of its digest.")]


def pull(
    reference: Annotated[
        str,
        typer.Argument(
            metavar="REFERENCE",
            help="An image in a registry (NAME:TAG or NAME@sha256:…), an OCI layout, or an archive by docker save.",
        ),
    ],
    json: Json = False,
) -> None:
    """Fetch an image, check its digests and unpack it; an interrupted pull goes on where it stopped."""
    image = _store().pull(reference, notify=say)
    if json:
        print_json(_shown(image))
    else:
        write(f"sha256:{image.digest}")


def list_images(json: Json = False) -> None:
    """List images, and what they take on the disk."""
    images, use = _store().images(), _store().disk_use()
    sizes = dict(use.by_image)
    if json:
        shown = [_shown(image) | {"bytes": sizes[image.digest]} for image in images]
        print_json({"images": shown, "bytes": use.real, "summed_bytes": use.summed})
        return
    rows = [
        (", ".join(image.references) or "-", image.digest[:12], len(image.contents.layers), f"{sizes[image.digest] / 1e6:.1f}")
        for image in images
    ]
    print_table("Images", ["reference", "digest", "layers", "MB"], rows)
    write(f"{count(len(images), 'image')}: {use.real / 1e6:.1f} MB on the disk, {use.summed / 1e6:.1f} MB without sharing")


def verify(
    name: Annotated[str | None, typer.Argument(metavar="IMAGE", help="Only this image.")] = None,
    json: Json = False,
) -> None:
    """Compare the files of images with their digests."""
    store = _store()
    images = [store.find(name)] if name else store.images()
    damage = {f"sha256:{image.digest}": store.verify(image) for image in images}
    if json:
        print_json({"damage": damage})
    for digest, found in damage.items():
        for text in found:
            say(f"{digest[:19]}: {text}")
    if not json:
        write(f"{count(len(images), 'image')} verified, {sum(map(bool, damage.values()))} damaged")
    if any(damage.values()):
        say("repair an image with: repairlab environment remove IMAGE, then pull it again")
        raise typer.Exit(1)


def remove(name: Name) -> None:
    """Remove an image and the layers that no other image uses."""
    store = _store()
    freed = store.remove(store.find(name))
    write(f"{name} removed: {freed / 1e6:.1f} MB freed")


def prune() -> None:
    """Remove what no image uses and what interrupted pulls left."""
    write(f"{_store().prune() / 1e6:.1f} MB freed")


def _store() -> ImageStore:
    return ImageStore(default_cache())


def _shown(image: Image) -> dict[str, object]:
    return {"digest": f"sha256:{image.digest}", "references": image.references, "layers": len(image.contents.layers)}


VERBS = {"pull": pull, "list": list_images, "verify": verify, "remove": remove, "prune": prune}
