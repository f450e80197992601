"""Models on the Hugging Face hub, through huggingface_hub's own mixin."""

import io
from contextlib import redirect_stdout
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from huggingface_hub import ModelCard as HubCard
from huggingface_hub import PyTorchModelHubMixin
from huggingface_hub.errors import HFValidationError
from torch import Tensor, nn

from supcon.base.errors import RequestError, WorkError
from supcon.base.quiet_logs import quiet_logs
from supcon.serving.model import Model
from supcon.serving.model_card import card_from_values
from supcon.serving.saved_model import content_digest, load_into, model_bytes

PAPER = "https://arxiv.org/abs/2004.11362"


class HubModel(
    nn.Module,
    PyTorchModelHubMixin,
    library_name="supcon",
    pipeline_tag="image-classification",
    paper_url=PAPER,
    tags=["supervised-contrastive-learning"],
):
    """A model as the hub's mixin saves and loads it; `config.json` has the content of `model.json` under `card`."""

    def __init__(self, card: dict[str, Any]) -> None:
        super().__init__()
        self.card, self.encoder = card_from_values(card, "config.json")
        self.classifier = nn.Linear(self.encoder.width, len(self.card.class_names))

    @classmethod
    def of(cls, model: Model) -> "HubModel":
        """The model for the hub."""
        # Without the hash: the bytes of a file are known when it is written, and it carries a checksum of its own.
        made = cls(card=asdict(replace(model.card, weights_digest=None)))
        made.load_state_dict(nn.ModuleDict({"encoder": model.encoder, "classifier": model.classifier}).state_dict())
        return made

    @property
    def model(self) -> Model:
        return Model(self.encoder, self.classifier, self.card)

    def forward(self, images: Tensor) -> Tensor:
        """Probabilities of images [image, channel, size, size] as `Model.prepare` returns them."""
        return self.model.classify(self.model.encode(images))

    def _save_pretrained(self, save_directory: Path) -> None:
        # model.json too, so that `supcon.load` takes the folder; the file of the mixin would not describe itself.
        content = model_bytes(self.model)
        card = replace(self.card, weights_digest=content_digest(content))
        (save_directory / "model.safetensors").write_bytes(content)
        (save_directory / "model.json").write_text(card.to_json() + "\n", encoding="utf-8")

    @classmethod
    def _load_as_safetensor(cls, model: Any, model_file: str, map_location: str, strict: bool) -> Any:
        del strict  # always: names and shapes must be those of the card
        load_into(model, Path(model_file), model.card)
        return model.to(map_location).eval()

    @classmethod
    def _load_as_pickle(cls, model: Any, model_file: str, map_location: str, strict: bool) -> Any:
        del model, map_location, strict
        raise RequestError(f"{model_file} is a pickle, which could run code; only .safetensors files are loaded.")

    def generate_model_card(self, *args: Any, content: str = "", **kwargs: Any) -> HubCard:
        """`content`, which has the figures of a run; the mixin's own text says nothing about the model."""
        return HubCard(content) if content else super().generate_model_card(*args, **kwargs)


def load_from_hub(name: str, device: str = "cpu") -> Model:
    """Loads `OWNER/NAME` from the hub, or a folder that was written for it."""
    try:
        # The mixin prints that it loads from a folder; every retry is logged, and the last failure raised.
        with redirect_stdout(io.StringIO()), quiet_logs("huggingface_hub"):
            return HubModel.from_pretrained(name, map_location=device).model
    except RequestError:
        raise
    except TypeError as error:  # no config.json, or one without a card
        raise RequestError(f"{name} on the Hugging Face hub is not a model of supcon ({error}).") from error
    except (OSError, HFValidationError) as error:
        raise RequestError(
            f"There is no folder {name}, and it cannot be loaded from the Hugging Face hub ({_flat(error)}); give the "
            "folder of a run, a .safetensors file or a name on the hub."
        ) from error


def write_hub_folder(model: Model, folder: Path, content: str) -> None:
    """Writes what `push_to_hub` uploads: config.json, model.json, model.safetensors and README.md with `content`."""
    (folder / "README.md").unlink(missing_ok=True)  # the mixin keeps an existing one
    HubModel.of(model).save_pretrained(folder, model_card_kwargs={"content": content})


def push_to_hub(model: Model, name: str, content: str, *, private: bool | None = None) -> str:
    """Uploads the model to `OWNER/NAME`, created if it does not exist, and returns the address of the commit."""
    try:
        return str(
            HubModel.of(model).push_to_hub(
                name,
                commit_message="Push a model of supcon",
                private=private,
                model_card_kwargs={"content": content},
            )
        )
    except HFValidationError as error:
        raise RequestError(f"{name!r} is not a name on the Hugging Face hub ({_flat(error)}).") from error
    except Exception as error:  # a connection's errors are those of the HTTP library that huggingface_hub uses
        raise WorkError(
            f"{name} could not be pushed to the Hugging Face hub ({_flat(error)}); log in with `hf auth login` or set "
            "HF_TOKEN, and try again."
        ) from error


def _flat(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")
