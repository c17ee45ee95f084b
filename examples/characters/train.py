#!/usr/bin/python3
"""Train the character recognizer of the demo and write its ONNX file.

Renders digits and capital letters in the fonts of this machine with random
position, size, slant, stroke and noise, trains a small residual network with
PyTorch and exports it: input `image` 1x1x32x32 in [0, 1], dark ink on light
ground as in a scan; output `scores`, one for each of 0-9 A-Z.

usage: train.py OUTPUT_FOLDER   (needs python3-torch, python3-pil, fonts)
"""
import glob
import os
import random
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from PIL import Image, ImageDraw, ImageFilter, ImageFont

CLASSES = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SIZE = 32


def find_fonts():
    paths = sorted(glob.glob("/usr/share/fonts/truetype/**/*.ttf", recursive=True))
    usable = []
    for path in paths:
        try:
            font = ImageFont.truetype(path, 24)
        except OSError:
            continue
        masks = {bytes(font.getmask(c)) for c in CLASSES}
        if len(masks) == len(CLASSES):
            usable.append(path)
    return usable


def render(char, path, rng):
    font = ImageFont.truetype(path, rng.randint(56, 92))
    image = Image.new("L", (128, 128), 255)
    draw = ImageDraw.Draw(image)
    left, top, right, bottom = draw.textbbox((0, 0), char, font=font)
    x = 64 - (left + right) / 2 + rng.uniform(-10, 10)
    y = 64 - (top + bottom) / 2 + rng.uniform(-10, 10)
    draw.text((x, y), char, fill=rng.randint(0, 70), font=font,
              stroke_width=rng.choice([0, 0, 1, 2]))
    image = image.rotate(rng.uniform(-12, 12), fillcolor=255)
    shear = rng.uniform(-0.2, 0.2)
    image = image.transform((128, 128), Image.AFFINE,
                            (1, shear, -64 * shear, 0, 1, 0), fillcolor=255)
    image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0, 1.5)))
    pixels = np.asarray(image.resize((SIZE, SIZE), Image.BILINEAR), np.float32)
    pixels = pixels / 255 + np.random.randn(SIZE, SIZE) * rng.uniform(0, 0.06)
    return np.clip(pixels, 0, 1).astype(np.float32)


class Block(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.a = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.na = nn.BatchNorm2d(cout)
        self.b = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.nb = nn.BatchNorm2d(cout)
        self.skip = nn.Conv2d(cin, cout, 1, stride, bias=False)

    def forward(self, x):
        y = F.relu(self.na(self.a(x)))
        return F.relu(self.nb(self.b(y)) + self.skip(x))


class Recognizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 16, 3, 1, 1)
        self.blocks = nn.Sequential(Block(16, 32, 2), Block(32, 48, 2),
                                    Block(48, 64, 2))
        self.head = nn.Linear(64, len(CLASSES))

    def forward(self, x):
        x = self.blocks(F.relu(self.stem(x)))
        return self.head(x.mean((2, 3)))


def batch(fonts, count, rng):
    labels = [rng.randrange(len(CLASSES)) for _ in range(count)]
    images = [render(CLASSES[k], rng.choice(fonts), rng) for k in labels]
    return torch.tensor(np.stack(images))[:, None], torch.tensor(labels)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    fonts = find_fonts()
    if not fonts:
        sys.exit("train.py: no usable TrueType font under /usr/share/fonts")
    rng = random.Random(1)
    np.random.seed(1)
    torch.manual_seed(1)
    model = Recognizer()
    steps = int(os.environ.get("STEPS", "700"))
    images, labels = batch(fonts, 12000, rng)
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, steps)
    for step in range(steps):
        pick = torch.randint(0, len(images), (64,))
        loss = F.cross_entropy(model(images[pick]), labels[pick])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step} loss {loss.item():.3f}", flush=True)
    model.eval()
    test_images, test_labels = batch(fonts, 1500, random.Random(2))
    with torch.no_grad():
        right = (model(test_images).argmax(1) == test_labels).float().mean()
    print(f"accuracy on unseen renderings {100 * right:.1f} %")
    torch.onnx.export(model, (test_images[:1],), f"{folder}/characters.onnx",
                      opset_version=13, input_names=["image"],
                      output_names=["scores"], training=torch.onnx.TrainingMode.PRESERVE)
    with open(f"{folder}/labels.txt", "w") as f:
        f.write("\n".join(CLASSES) + "\n")
    for char in "7KR":
        pixels = render(char, rng.choice(fonts), rng)
        Image.fromarray((pixels * 255).astype(np.uint8)).resize(
            (96, 96), Image.BICUBIC).save(f"{folder}/sample_{char}.png")


if __name__ == "__main__":
    main()
