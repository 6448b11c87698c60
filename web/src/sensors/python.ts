import { EVENT_BYTES_MAX, type Sensor, type SensorSite, shellToken } from './sensor.ts';

/** For agents that are written in Python: the standard library is enough. */
export const python: Sensor = {
  id: 'python',
  label: 'Python',
  steps: (site) => [
    { name: 'Python file', what: 'Keep this as gatehouse.py, and call ask before each tool:', text: fileOf(site) },
    {
      name: 'Python command',
      what: 'It can be tried on a command, which it does not run:',
      text: `GATEHOUSE_TOKEN=${shellToken(site)} python3 gatehouse.py 'ls -la'`,
    },
  ],
};

function fileOf({ url, failsOpen }: SensorSite): string {
  return `import datetime, json, os, sys, urllib.error, urllib.request

URL = "${url}"
TOKEN = os.environ["GATEHOUSE_TOKEN"]
# The fail mode of the tenant: whether a call goes on where no answer comes.
FAILS_OPEN = ${failsOpen ? 'True' : 'False'}
EVENT_BYTES_MAX = ${EVENT_BYTES_MAX}


class Blocked(Exception):
    """The tool must not run; says why."""


def ask(session_id, tool, tool_input):
    """Returns if the tool may run, and raises Blocked if not."""
    event = {
        "event_type": "tool_invocation",
        "session_id": session_id,
        "timestamp": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        "agent": {"id": "my-agent", "name": "My agent"},
        "user": {"email": "me@example.com"},
        "tool": {"name": tool, "input": tool_input},
    }
    headers = {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"}
    body = json.dumps(event).encode()
    if len(body) > EVENT_BYTES_MAX:
        raise Blocked(f"the event is larger than {EVENT_BYTES_MAX} bytes")
    request = urllib.request.Request(URL, body, headers)
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            response = json.load(answer)["response"]
            action, reason = response["action"], response.get("reason", "")
    except Exception as error:
        # What Gatehouse cannot read, it cannot judge: that is no reason to let the call run.
        if isinstance(error, urllib.error.HTTPError) and error.code in (400, 413):
            raise Blocked(f"Gatehouse refused the event: {detail_of(error)}") from error
        if not FAILS_OPEN:
            raise Blocked(f"Gatehouse gave no answer: {error}") from error
        print(f"Gatehouse gave no answer, going on: {error}", file=sys.stderr)
        return
    if action != "allow":
        raise Blocked(reason)


def detail_of(refusal):
    try:
        return json.load(refusal)["detail"]
    except Exception:
        return refusal


if __name__ == "__main__":
    try:
        ask("first-steps", "Bash", {"command": sys.argv[1]})
        print("allowed")
    except Blocked as why:
        sys.exit(f"blocked: {why}")
`;
}
