/** Ends of what belongs together: a mark with a blank behind it, so that it is none inside of a name. */
export const CLAUSE_END = /[.!?;,:—–](?=\s|$)|\n|[。！？；，]/;

/** Words by which a clause may say that something is *not* to be done. One in the clause is enough, wherever it stands. */
export const REFUSES =
  /\b(?:not|never|without|\w{2,8}n['’]?t|no|avoid|except|exclud\w*|skip|nicht|nie|kein\w*|ohne|au(?:ß|ss)er|pas|jamais|sans|sauf|nunca|sin|salvo|não|sem|mai|senza|niet|nooit|zonder|bez|aldrig|utan|ikke|inte|ei|asla)\b|не|без|никогда|кроме|[不别別勿未]|ない|しないで|除/iu;
