"""Train on a folder of images and use the result: python own_folder.py photos/ (without it: drawn shapes)."""

import random
import sys
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

import supcon


def draw_shapes(folder: Path) -> Path:
    """Some images to try it on: FOLDER/circle/0.png, FOLDER/square/0.png, ..."""
    for name in ("circle", "square"):
        (folder / name).mkdir(parents=True)
        for number in range(30):
            image, left, top = Image.new("RGB", (24, 24), "white"), random.randint(1, 9), random.randint(1, 9)
            draw = ImageDraw.Draw(image)
            (draw.ellipse if name == "circle" else draw.rectangle)((left, top, left + 12, top + 12), fill="black")
            image.save(folder / name / f"{number}.png")
    return folder


random.seed(0)
if len(sys.argv) > 1:
    folder, settings = Path(sys.argv[1]), dict[str, Any]()
else:  # seconds instead of minutes
    folder = draw_shapes(Path("shapes"))
    options = {"encoder.width": 8, "projection.centre": True, "loss.temperature": 0.3, "stage2.epochs": 20}
    settings = {"recipe": "digits", "epochs": 8, "options": options}

run = supcon.train(folder, out="runs/own", **settings)
print(f"test accuracy {run.measures['test/top1']:.2f}, all metrics in {run.path}/evaluation.json")
print(f"report: {run.path}/report.html")

model = supcon.load(run.path)
images = sorted(folder.rglob("*.png"))[:3] or sorted(folder.rglob("*.jpg"))[:3]
for image, name, probabilities in zip(images, model.predict(images), model.predict_proba(images), strict=True):
    print(image, name, f"{probabilities.max():.2f}")
