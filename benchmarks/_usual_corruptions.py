"""The usual implementation of the 15 corruptions: one image at a time, with numpy, scipy and Pillow.

Written from the description of Hendrycks and Dietterich (2019) with their published parameters; what they do with
OpenCV, scikit-image and ImageMagick is implemented here from its definition. `corruptions.py` measures against it, and
the tests compare with it: `random` is a numpy Generator, or an object that returns given numbers instead.
"""

import math
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image
from scipy.ndimage import convolve, correlate1d, gaussian_filter, map_coordinates, zoom

Array = Any  # a numpy array; its functions are typed loosely
NOTHING_RANDOM = {
    "gaussian_blur",
    "defocus_blur",
    "zoom_blur",
    "contrast",
    "brightness",
    "saturate",
    "pixelate",
    "jpeg_compression",
}


def usual(image: Array, name: str, parameters: Any, random: Any) -> Array:
    """Applies a corruption to one uint8 image [height, width, channel]; returns uint8."""
    function = globals()[name]
    changed = function(image, parameters) if name in NOTHING_RANDOM else function(image, parameters, random)
    return np.clip(changed + 1e-3, 0, 255).astype(np.uint8)


def gaussian_noise(image: Array, deviation: float, random: Any) -> Array:
    return image + 255 * random.normal(0, deviation, image.shape)


def speckle_noise(image: Array, deviation: float, random: Any) -> Array:
    return image + image * random.normal(0, deviation, image.shape)


def shot_noise(image: Array, photons: float, random: Any) -> Array:
    return random.poisson(image / 255 * photons) / photons * 255


def impulse_noise(image: Array, share: float, random: Any) -> Array:
    uniform = random.uniform(0, 1, image.shape)
    changed = image.copy()
    changed[uniform < share / 2] = 0
    changed[uniform >= 1 - share / 2] = 255
    return changed


def gaussian_blur(image: Array, sigma: float) -> Array:
    return gaussian_filter(image.astype(float), (sigma, sigma, 0), mode="nearest", truncate=4)


def defocus_blur(image: Array, parameters: tuple[float, float]) -> Array:
    radius, edge = parameters
    reach, around = (8, 1) if radius <= 8 else (math.ceil(radius), 2)
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    disk = (x**2 + y**2 <= radius**2).astype(float)
    weights = np.exp(-0.5 * (np.arange(-around, around + 1) / edge) ** 2)
    kernel = disk / disk.sum()
    for axis in (0, 1):
        kernel = correlate1d(kernel, weights / weights.sum(), axis, mode="mirror")
    channels = [convolve(image[..., channel].astype(float), kernel, mode="mirror") for channel in range(image.shape[2])]
    return np.stack(channels, axis=2)


def glass_blur(image: Array, parameters: tuple[float, int, int], random: Any) -> Array:
    sigma, reach, rounds = parameters
    height, width = image.shape[:2]
    pixels = np.floor(gaussian_blur(image, sigma) + 1e-3)
    for _ in range(rounds):
        for row in range(height - reach, reach, -1):
            for column in range(width - reach, reach, -1):
                down, right = random.integers(-reach, reach, 2)
                # Published as a swap; numpy's views make it this copy.
                pixels[row, column] = pixels[row + down, column + right]
    return gaussian_blur(pixels, sigma)


def motion_blur(image: Array, parameters: tuple[float, float], random: Any) -> Array:
    return _streaked(image, *parameters, random.uniform(-45, 45))


def _streaked(image: Array, radius: float, sigma: float, angle: float) -> Array:
    height, width = image.shape[:2]
    steps = np.arange(2 * math.ceil(radius) + 1)
    weights = np.exp(-0.5 * (steps / sigma) ** 2)
    weights /= weights.sum()
    total = np.zeros(image.shape)
    for step, weight in zip(steps, weights, strict=True):
        right = math.ceil(step * math.cos(math.radians(angle)) - 0.5)
        down = math.ceil(step * math.sin(math.radians(angle)) - 0.5)
        rows = np.clip(np.arange(height) + down, 0, height - 1)
        columns = np.clip(np.arange(width) + right, 0, width - 1)
        total += weight * image[rows[:, None], columns]
    return np.round(total)


def zoom_blur(image: Array, parameters: tuple[float, float]) -> Array:
    factors = np.arange(1, *parameters)
    zooms = [_zoomed(image.astype(np.float32), factor) for factor in factors]
    return (image + np.sum(zooms, axis=0)) / (len(factors) + 1)


def _zoomed(image: Array, factor: float) -> Array:
    height, width = image.shape[:2]
    inner = [math.ceil(size / factor) for size in (height, width)]
    top, left = (height - inner[0]) // 2, (width - inner[1]) // 2
    large = zoom(image[top : top + inner[0], left : left + inner[1]], (factor, factor, 1), order=1)
    top, left = (large.shape[0] - height) // 2, (large.shape[1] - width) // 2
    return large[top : top + height, left : left + width]


def snow(image: Array, parameters: tuple[float, ...], random: Any) -> Array:
    mean, deviation, factor, threshold, radius, sigma, colour = parameters
    flakes = _zoomed(random.normal(mean, deviation, image.shape[:2])[..., None], factor)
    flakes = np.where(flakes < threshold, 0, flakes)
    flakes = _streaked(np.floor(np.clip(flakes, 0, 1) * 255 + 1e-3), radius, sigma, random.uniform(-135, -45))
    grey = image @ np.array([0.299, 0.587, 0.114]) if image.shape[2] == 3 else image[..., 0]
    whitened = np.maximum(image, 1.5 * grey[..., None] + 127.5)
    return colour * image + (1 - colour) * whitened + flakes + np.rot90(flakes, 2)


def frost(image: Array, parameters: tuple[float, float], random: Any) -> Array:
    """With an image of noise instead of a photograph: the time is the same."""
    height, width = image.shape[:2]
    top, left = random.integers(0, len(_PHOTOGRAPH), 2)
    piece = _PHOTOGRAPH[np.arange(top, top + height)[:, None] % 512, np.arange(left, left + width) % 512]
    return parameters[0] * image + parameters[1] * piece[..., : image.shape[2]]


_PHOTOGRAPH = np.random.default_rng(0).integers(0, 256, (512, 512, 3))


def fog(image: Array, parameters: tuple[float, float], random: Any) -> Array:
    thickness, decay = parameters
    height, width = image.shape[:2]
    clouds = plasma(1 << (max(height, width) - 1).bit_length(), decay, random)[:height, :width, None]
    brightest = image.max() / 255
    return (image + 255 * thickness * clouds) * brightest / (brightest + thickness)


def plasma(size: int, decay: float, random: Any) -> Array:
    """Diamond and square, with one random number for each point of the map."""
    uniform = random.uniform(-1, 1, (size, size))
    heights = np.zeros((size, size))
    step, reach = size, 100.0
    while step >= 2:
        half = step // 2
        corners = heights[::step, ::step]
        square = sum(np.roll(corners, (-down, -right), (0, 1)) for down in (0, 1) for right in (0, 1))
        heights[half::step, half::step] = square / 4 + reach**2 * uniform[half::step, half::step]
        middles = heights[half::step, half::step]
        sideways = corners + np.roll(corners, -1, 1) + middles + np.roll(middles, 1, 0)
        heights[::step, half::step] = sideways / 4 + reach**2 * uniform[::step, half::step]
        upwards = corners + np.roll(corners, -1, 0) + middles + np.roll(middles, 1, 1)
        heights[half::step, ::step] = upwards / 4 + reach**2 * uniform[half::step, ::step]
        step, reach = half, reach / decay
    heights -= heights.min()
    return heights / heights.max()


def contrast(image: Array, left: float) -> Array:
    mean = image.mean((0, 1), keepdims=True)
    return (image - mean) * left + mean


def brightness(image: Array, more: float) -> Array:
    hue, saturation, value = _to_hsv(image / 255)
    return 255 * _to_rgb(hue, saturation, np.clip(value + more, 0, 1))[..., : image.shape[2]]


def saturate(image: Array, parameters: tuple[float, float]) -> Array:
    hue, saturation, value = _to_hsv(image / 255)
    return 255 * _to_rgb(hue, np.clip(saturation * parameters[0] + parameters[1], 0, 1), value)


def _to_hsv(image: Array) -> tuple[Array, Array, Array]:
    red, green, blue = np.moveaxis(np.broadcast_to(image, (*image.shape[:2], 3)), 2, 0)
    value, chroma = image.max(2), np.ptp(image, 2)
    some = np.where(chroma == 0, 1, chroma)
    hue = np.select(
        [chroma == 0, red == value, green == value],
        [0 * value, (green - blue) / some % 6, (blue - red) / some + 2],
        (red - green) / some + 4,
    )
    return hue, chroma / np.where(value == 0, 1, value), value


def _to_rgb(hue: Array, saturation: Array, value: Array) -> Array:
    sector = np.stack([(hue + offset) % 6 for offset in (5, 3, 1)], axis=2)
    fade = np.clip(np.minimum(sector, 4 - sector), 0, 1)
    return value[..., None] * (1 - saturation[..., None] * fade)


def elastic_transform(image: Array, parameters: tuple[float, float, float], random: Any) -> Array:
    strength, smoothness, reach = parameters
    height, width = image.shape[:2]
    square = min(height, width) // 3
    corners = np.array([width // 2, height // 2]) + square * np.array([[1, 1], [1, -1], [-1, -1]])
    moved = corners + random.uniform(-reach, reach, (3, 2))
    undo = np.linalg.solve(np.column_stack([moved, np.ones(3)]), corners)
    y, x = np.mgrid[:height, :width].astype(float)
    places = np.stack([x, y, np.ones_like(x)], axis=2) @ undo
    image = _sampled(image, places[..., 1], places[..., 0], "mirror")
    if strength == 0:
        return image
    uniform = random.uniform(-1, 1, (2, height, width))
    right, down = (strength * gaussian_filter(part, smoothness, mode="reflect", truncate=3) for part in uniform)
    return _sampled(image, y + down, x + right, "reflect")


def _sampled(image: Array, y: Array, x: Array, mode: str) -> Array:
    channels = [map_coordinates(image[..., c].astype(float), [y, x], order=1, mode=mode) for c in range(image.shape[2])]
    return np.stack(channels, axis=2)


def pixelate(image: Array, left: float) -> Array:
    picture = Image.fromarray(image.squeeze())
    small = picture.resize((int(picture.width * left), int(picture.height * left)), Image.Resampling.BOX)
    return np.asarray(small.resize(picture.size, Image.Resampling.BOX)).reshape(image.shape)


def jpeg_compression(image: Array, quality: int) -> Array:
    file = BytesIO()
    Image.fromarray(image.squeeze()).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file)).reshape(image.shape)
