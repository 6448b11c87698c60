import { normalizeKey } from '../../facts/input.ts';

/** Parameters that serve to carry something away: a place for notes that only the one who poisons the tool has a use for. */
const STORING_NAMES: ReadonlySet<string> = new Set(
  `sidenote sidenotes conversationhistory chathistory fullconversation conversationcontext systemprompt
  chainofthought scratchpadcontents previousmessages alltools toollist listoftools toolcallhistory
  sshkey sshprivatekey privatekeycontents envcontents`.split(/\s+/),
);

/** Whether a parameter of this name asks the model for what it knows. */
export function isStoringName(name: string): boolean {
  return name.length <= 64 && STORING_NAMES.has(normalizeKey(name));
}
