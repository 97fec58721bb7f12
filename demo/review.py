"""The annotation queue of answers that are still wrong, for people to look at in the console."""

QUEUE = "still-wrong"
REASONS = ("wrong order", "item missing", "item invented", "misspelled item")


def open_queue(client, project, outcomes):
    """Creates a queue of the calls of these outcomes with one question. Returns its id."""
    reason = client.post("/obj/create", {"obj": {
        "project_id": project, "object_id": "reason", "builtin_object_class": "AnnotationSpec",
        "val": {"name": "Reason", "field_schema": {"type": "string", "enum": list(REASONS)}}}})
    queue = client.post("/annotation_queues", {
        "project_id": project, "name": QUEUE, "description": "What is wrong with these answers?",
        "scorer_refs": [f"svc:///{project}/object/reason:{reason['digest']}"]})["id"]
    if outcomes:
        client.post(f"/annotation_queues/{queue}/items", {
            "project_id": project, "call_ids": [outcome.call_id for outcome in outcomes],
            "display_fields": ["inputs", "output"]})
    return queue
