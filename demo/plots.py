"""SVG plots without a library: bars with intervals, and lines."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 64, 44
COLOURS = ("#9aa5b1", "#2f7ed8", "#1f9d55", "#c05621")
INK, FAINT, PAPER = "#1f2933", "#d9e2ec", "#ffffff"


def ticks(low, high, about=5):
    """Returns round numbers that span at least low to high."""
    if high <= low:
        high = low + 1
    raw = (high - low) / about
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


class _Canvas:
    """Converts values to pixels. The y axis spans the first to the last tick."""

    def __init__(self, title, note, x_range, y_ticks, y_format):
        self._x, self._y = x_range, (y_ticks[0], y_ticks[-1])
        self._parts = []
        self.text(LEFT - 40, 24, title, size=16, weight="600")
        self.text(LEFT - 40, 44, note, size=12, colour="#52606d")
        for value in y_ticks:
            self.line(LEFT, self.y(value), WIDTH - RIGHT, self.y(value), FAINT)
            self.text(LEFT - 8, self.y(value) + 4, y_format(value), size=11, anchor="end")

    def x(self, value):
        low, high = self._x
        return LEFT + (value - low) / ((high - low) or 1) * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        low, high = self._y
        return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def line(self, x1, y1, x2, y2, colour=INK, width=1.0):
        self._parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
                           f'stroke-width="{width}"/>')

    def text(self, x, y, words, size=12, anchor="start", weight="400", colour=INK):
        self._parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
                           f'font-weight="{weight}" fill="{colour}">{escape(words)}</text>')

    def box(self, x, y, width, height, colour):
        self._parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" '
                           f'fill="{colour}"/>')

    def path(self, points, colour):
        places = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        self._parts.append(f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2" '
                           'stroke-linejoin="round"/>')

    def dot(self, x, y, colour):
        self._parts.append(f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="4" fill="{colour}"/>')

    def whisker(self, x, low, high, colour=INK):
        """Draws an interval at an x position in pixels."""
        self.line(x, self.y(low), x, self.y(high), colour, 1.5)
        for end in (low, high):
            self.line(x - 5, self.y(end), x + 5, self.y(end), colour, 1.5)

    def legend(self, names):
        place = WIDTH - RIGHT
        for name, colour in reversed(list(zip(names, COLOURS))):
            place -= 7 * len(name) + 8
            self.text(place, 24, name, size=12)
            self.box(place - 14, 14, 10, 10, colour)
            place -= 26

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
                f'height="{HEIGHT}" font-family="system-ui, sans-serif" role="img">'
                f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="{PAPER}"/>{"".join(self._parts)}</svg>\n')


def percent(value):
    return f"{100 * value:.0f} %"


def plain(value):
    return f"{value:g}"


def bars(title, note, names, groups):
    """Draws shares with intervals. `groups`: (label, [(share, (low, high)) for each of names])."""
    canvas = _Canvas(title, note, (0, len(groups)), ticks(0, 1), percent)
    canvas.legend(names)
    for place, (what, shares) in enumerate(groups):
        width = 0.7 / max(1, len(shares)) * (canvas.x(1) - canvas.x(0))
        begin = canvas.x(place + 0.5) - width * len(shares) / 2
        for number, (share, (low, high)) in enumerate(shares):
            left = begin + number * width
            canvas.box(left + 3, canvas.y(share), width - 6, canvas.y(0) - canvas.y(share), COLOURS[number])
            canvas.whisker(left + width / 2, low, high)
            canvas.text(left + width / 2, canvas.y(high) - 8, percent(share), size=12, anchor="middle", weight="600")
        canvas.text(canvas.x(place + 0.5), HEIGHT - 18, what, size=13, anchor="middle")
    return canvas.svg()


def curve(title, note, x_name, values, colour=COLOURS[1]):
    """Draws a line through the values."""
    canvas = _Canvas(title, note, (1, max(2, len(values))), ticks(0, max(values, default=1)), plain)
    if values:
        canvas.path(list(enumerate(values, 1)), colour)
    for number in ticks(0, len(values)):
        if 1 <= number <= len(values) and number == int(number):
            canvas.text(canvas.x(number), HEIGHT - 26, plain(number), size=11, anchor="middle")
    canvas.text(WIDTH - RIGHT, HEIGHT - 8, x_name, size=12, anchor="end")
    return canvas.svg()


def climb(title, note, places):
    """Draws values from 0 to 1 with intervals, joined by a line. `places`: (label, value, (low, high))."""
    canvas = _Canvas(title, note, (0, len(places)), ticks(0, 1), plain)
    canvas.path([(place + 0.5, value) for place, (_, value, _) in enumerate(places)], COLOURS[2])
    for place, (what, value, (low, high)) in enumerate(places):
        canvas.whisker(canvas.x(place + 0.5), low, high)
        canvas.dot(place + 0.5, value, COLOURS[2])
        canvas.text(canvas.x(place + 0.5) + 12, canvas.y(value) + 16, f"{value:.2f}", size=12, weight="600")
        canvas.text(canvas.x(place + 0.5), HEIGHT - 18, what, size=12, anchor="middle")
    return canvas.svg()
