/** What an agent is called: its name, else its id. Never nothing to be seen: it stands in links. */
export function agentLabel(name: string, agentId = ''): string {
  return [name, agentId].find((text) => text.trim() !== '') ?? 'unnamed';
}
