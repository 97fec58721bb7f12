"""Small talk around the skills: greetings, thanks, questions about the model."""

from skills.skill import Instance, Skill, asked, said, same_text

_ME = ("I am spindle-nano, a very small language model. I can add, sort, repeat lists, read short texts, "
       "write JSON and call tools.")
_TALK = (
    (("Hello", "Hello!", "Hi", "Hi!", "Hey", "hello", "hi", "Good morning", "Good morning!", "Good evening",
      "Hi there", "Hello there!", "Hello, how are you?", "Hi, how are you?", "How are you?"),
     "Hello! How can I help you?"),
    (("Who are you?", "What are you?", "What is your name?", "who are you", "Tell me about yourself.",
      "What can you do?", "What can you help me with?", "Help", "help", "Introduce yourself."), _ME),
    (("Thanks", "Thanks!", "Thank you", "Thank you!", "thanks", "Great, thanks!", "Good, thank you."),
     "You are welcome."),
    (("Bye", "Bye!", "Goodbye", "See you", "Good night", "bye"), "Goodbye!"),
)


def _make_talk(draw, level):
    ways, answer = draw.pick(_TALK)
    question = draw.pick(ways)
    return Instance("talk", level, question, asked(question), said(answer), answer)


TALK = Skill("talk", _make_talk, same_text)
