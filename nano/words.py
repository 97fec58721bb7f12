"""The words of spindle-nano's training text."""

NAMES = (
    "Ada Alan Amir Ana Anton Ben Bella Carl Clara Chen Dana David Diego Ella Emil Emma Eva Felix Fatima Finn "
    "George Grace Hana Hugo Ida Igor Ines Ivan Jack Jana Jonas Julia Kai Kira Lara Leo Lena Liam Lina Luis "
    "Mara Maria Max Mila Mina Nadia Nico Nina Noah Nora Olga Omar Oscar Otto Paul Petra Rosa Ravi Ruth Sam "
    "Sara Sofia Tara Theo Tim Tom Uma Vera Victor Yara Yuki Zoe"
).split()

SURNAMES = (
    "Adams Baker Bauer Berg Brown Cohen Costa Cruz Diaz Evans Fischer Garcia Hall Hansen Ito Jones Kim Klein "
    "Kumar Lang Lee Lopez Meyer Moore Novak Okafor Olsen Park Perez Rossi Sato Silva Singh Smith Stone Tanaka "
    "Torres Vogel Walker Weber White Wolf Wong Young"
).split()

CITIES = (
    "Accra Athens Berlin Bern Boston Bogota Cairo Chicago Dakar Delhi Denver Dublin Geneva Hamburg Hanoi "
    "Helsinki Jakarta Kyoto Lagos Lima Lisbon London Lyon Madrid Manila Miami Milan Montreal Munich Nairobi "
    "Naples Osaka Oslo Paris Porto Prague Quito Riga Rome Santiago Seattle Seoul Sofia Stockholm Sydney Tokyo "
    "Toronto Tunis Turin Venice Vienna Warsaw York Zagreb Zurich"
).split()

NOUNS = (
    "apple arrow ball banana basket bean bell bird boat book bottle bowl box branch bread bridge brush bucket "
    "button cake camera candle card carrot castle cat chair cheese chess circle clock cloud coat coin cup desk "
    "dog door dream drum eagle egg engine farm feather field fire fish flag flower forest fork fox frog garden "
    "gate glass glove goat grape grass guitar hammer hat honey horse house island jacket jar key king kite "
    "knife ladder lake lamp leaf lemon letter lion map market melon milk mirror moon mouse nail needle nest "
    "ocean onion orange owl paper peach pear pencil pepper piano pillow plane plate pocket potato queen rabbit "
    "radio rain ring river road rocket roof rope rose salt sand ship shoe silk snake snow soap sock spoon star "
    "stone sugar sun table tiger tower train tree trumpet turtle umbrella valley violin wagon wall water wheel "
    "whale wind window winter wolf wood zebra"
).split()

COLOURS = "red blue green yellow black white brown grey pink purple orange silver".split()
JOBS = (
    "baker barber builder carpenter chef clerk cook dancer dentist doctor driver editor farmer gardener judge "
    "lawyer miner nurse painter pilot plumber poet potter sailor singer tailor teacher waiter writer"
).split()
OWNED = "bag bike boat book car coat cup hat house kite lamp pen phone scarf shirt tent".split()
PLACES = "attic barn cellar drawer garage garden hall kitchen library office pantry shed studio tent tower".split()
WEATHER = "sunny cloudy rainy windy snowy foggy stormy clear".split()
STATES = "packed shipped delivered delayed cancelled returned".split()

_STARTS = "b br c ch d dr f fl g gr h j k kl l m n p pl qu r s sh st t tr v w z".split()
_VOWELS = "a e i o u ai ea oo".split()
_ENDS = ["", "", "n", "r", "l", "s", "t", "m", "k", "nd", "x"]


def made_up(draw):
    """Returns a word that is in no list, so that the model learns to copy instead of memorizing the lists."""
    return "".join(draw.pick(_STARTS) + draw.pick(_VOWELS) + draw.pick(_ENDS) for _ in range(2 + draw.below(2)))


def name(draw):
    return made_up(draw).capitalize() if draw.chance(0.2) else draw.pick(NAMES)


def city(draw):
    return made_up(draw).capitalize() if draw.chance(0.2) else draw.pick(CITIES)


def noun(draw):
    return made_up(draw) if draw.chance(0.1) else draw.pick(NOUNS)
