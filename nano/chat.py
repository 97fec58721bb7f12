"""Conversations as the prompt text of spindle-nano, equal to the output of chat_template.jinja, in parts."""

import json

END_OF_TEXT = "<|endoftext|>"
START, END = "<|im_start|>", "<|im_end|>"
CALL, END_CALL = "<tool_call>", "</tool_call>"
TOOLS, END_TOOLS = "<tools>", "</tools>"
RESULT, END_RESULT = "<tool_response>", "</tool_response>"
SPECIAL = (END_OF_TEXT, START, END)
MARKERS = (CALL, END_CALL, TOOLS, END_TOOLS, RESULT, END_RESULT)


def _json(value):
    return json.dumps(value, ensure_ascii=False)


def _spoken(message):
    text = message.get("content") or ""
    for call in message.get("tool_calls") or []:
        function = call["function"]
        text += "\n" if text else ""
        text += f'{CALL}\n{{"name": {_json(function["name"])}, "arguments": {function["arguments"]}}}\n{END_CALL}'
    return text


def pieces(messages, tools=()):
    """Yields (text, true if the assistant says it) in order."""
    messages = list(messages)
    system = messages.pop(0)["content"] if messages and messages[0]["role"] == "system" else ""
    if tools:
        listed = "\n".join(_json(tool["function"]) for tool in tools)
        system += ("\n\n" if system else "") + f"{TOOLS}\n{listed}\n{END_TOOLS}"
    if system:
        yield f"{START}system\n{system}{END}\n", False
    for message in messages:
        if message["role"] == "assistant":
            yield f"{START}assistant\n", False
            yield _spoken(message) + END, True
            yield "\n", False
        elif message["role"] == "tool":
            yield f"{START}user\n{RESULT}\n{message['content']}\n{END_RESULT}{END}\n", False
        else:
            yield f"{START}{message['role']}\n{message['content']}{END}\n", False


def prompt(messages, tools=()):
    """Returns the text up to the beginning of the assistant's turn."""
    return "".join(text for text, _ in pieces(messages, tools)) + f"{START}assistant\n"
