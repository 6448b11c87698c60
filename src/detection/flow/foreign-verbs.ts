import type { Action } from './wanted-action.ts';

/**
 * What people ask for, and tools are called after, in languages other than English: stems of verbs without accents, of German, French,
 * Spanish, Portuguese, Italian and Dutch, which count from the start of a word; and pieces of words of scripts that are not Latin.
 */
const STEMS: Readonly<Record<Action, string>> = {
  message:
    'schick sende antwort beantwort meld informier benachrichtig schreib erinner envoi envoy repond ecri ecrivez transmet previen avert rappel enviar envia envie manda mande respond escrib escrev avise avisa avisez contesta conteste reenvi invia invii rispond scriv avvisa inoltr gira girare stuur antwoord',
  share: 'teile teilen freigeb einlad ladet partag invit compart condivid compartilh convid deel',
  pay: 'bezahl ueberweis uberweis zahle virement virer verser rembours paye payez payer pagar paga pague transfier transfir abona bonific betaal ubw',
  trade: 'kaufe kaufen bestell verkauf achet command compra compre vende ordina koop bestel',
  delete:
    'losch loesch entfern stornier kundig kuendig supprim efface annul retir elimin borra borre cancel quita anula rimuov rimuovi annull apaga apague exclu remov verwijder annuleer',
  publish: 'veroffentlich veroeffentlich publi pubblic hochlad',
  change:
    'ander aender aktualisier anpass passe korrigier setze stelle trage eintrag verschieb hinterleg ersetz modifi change mets mettre mettez corrig remplac deplac actualis actualiz modific cambi reemplaz ponle poner mueve aggiorn sostitu spost correg atualiz altera altere mude troca troque substitu wijzig verander zuweis ordne attribu asign assegn atribu',
  secure: 'sperr entsperr deaktivier aktivier desactiv bloqu debloqu disattiv blocc desbloqu blokkeer',
  create:
    'erstell leg lege anleg hinzufug hinzufueg fuge mache schreib speicher creer creez cree ajout faire enregistr redig crear crea agreg anad haz guarda registra aggiung salva cria criar adicion faca maak voeg',
  book: 'buche buchen reservier terminier reserv planif agendar agende programar prenot boek',
  control: 'kummer kuemmer erledig bearbeit occupe traite gere gestion resuelv atiend gestisc resolv cuide regel',
  defend:
    'verdacht angriff schadsoft betrug suspect hamecon frauduleu fraude sospechos malicios ataque sospett attacco suspeit',
  run: 'starte fuhre fuehre installier ausfuhr lance execut install deploi demarr ejecut inici instal desplieg lanza esegui avvia implant deploy',
};

/** Verbs of tools that give something back, in the same languages. */
const READING =
  'lese lies suche suchen liste zeige hole finde abruf pruf pruef anzeig ansicht lire lis chercher recherch lister affich voir consult trouver suivi leer buscar busca listar consult obten mostrar muestra ver leggi cerca elenc mostra trova ler obter lees zoek toon';

/** Of scripts without spaces, or with endings of many kinds. */
const PIECES: readonly (readonly [RegExp, readonly Action[]])[] = [
  [/отправ|перешл|ответ|напиш|сообщ|送信|送っ|返信|发送|发给|回复|通知|보내|답장/iu, ['message']],
  [/оплат|перевед|заплат|支払|振込|振り込|付款|转账|支付|결제|송금/iu, ['pay']],
  [/удали|отмен|削除|取り消|キャンセル|删除|取消|삭제|취소/iu, ['delete']],
  [/обнов|измен|исправ|замен|更新|変更|修正|修改|更改|수정|변경|업데이트/iu, ['change']],
  [/созда|добав|запиш|сохран|作成|追加|登録|保存|创建|添加|만들|추가|저장/iu, ['create']],
  [/заброн|заплан|予約|预订|安排|예약/iu, ['book']],
  [/запуст|установ|разверн|実行|インストール|デプロイ|运行|安装|部署|실행|설치|배포/iu, ['run', 'control']],
  [/поделись|пригласи|共有|招待|分享|邀请|공유|초대/iu, ['share']],
];

const STEM_CHARS_MIN = 3;
const STEM_CHARS_MAX = 14;
const ACTIONS_BY_STEM = new Map<string, Action[]>();
for (const [action, stems] of Object.entries(STEMS)) {
  for (const stem of stems.split(' ')) {
    ACTIONS_BY_STEM.set(stem, [...(ACTIONS_BY_STEM.get(stem) ?? []), action as Action]);
  }
}
const READING_STEMS: ReadonlySet<string> = new Set(READING.split(' '));
/** What the stems begin with: nearly all words are told from them by that. */
const HEADS: ReadonlySet<string> = new Set(
  [...ACTIONS_BY_STEM.keys(), ...READING_STEMS].map((stem) => stem.slice(0, STEM_CHARS_MIN)),
);
const NONE: readonly Action[] = [];

/** What `word`, in lower case and without accents, asks for in one of those languages, by its longest stem. */
export function foreignActions(word: string): readonly Action[] {
  if (!HEADS.has(word.slice(0, STEM_CHARS_MIN))) return NONE;
  for (let length = Math.min(word.length, STEM_CHARS_MAX); length >= STEM_CHARS_MIN; length--) {
    const actions = ACTIONS_BY_STEM.get(word.slice(0, length));
    if (actions !== undefined) return actions;
  }
  return NONE;
}

/** Whether `word` of a tool's name says in one of those languages that it gives something back. */
export function readsInForeign(word: string): boolean {
  if (!HEADS.has(word.slice(0, STEM_CHARS_MIN))) return false;
  for (let length = Math.min(word.length, STEM_CHARS_MAX); length >= STEM_CHARS_MIN; length--) {
    if (READING_STEMS.has(word.slice(0, length))) return true;
  }
  return false;
}

/** What `text` asks for in scripts that are not Latin. */
export function actionsInOtherScripts(text: string): readonly Action[] {
  if (!OTHER_SCRIPTS.test(text)) return NONE;
  return PIECES.flatMap(([pattern, actions]) => (pattern.test(text) ? actions : []));
}

const OTHER_SCRIPTS = /[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;
/** Words that one of those languages is made of, and English is not; and such as English has too, or names. */
const FUNCTION_WORDS =
  /(?:^|[^a-z])(?:(der|das|und|bitte|nicht|dem|mir|alle|auf|los|las|por|favore?|que|une|les|des|est|pour|dans|mes|nos|il|che|della|delle|nella|sua|suo|gli|aux|ses|leur|zum|zur|mein|meine|ist|mijn|aan|minha|nao|para|uma|dos|meu|het|een|niet|naar|voor)|(die|den|el|la|con|su|del|sur|nel|au|et|sa|lui|van|en|de|un))(?=[^a-z]|$)/g;

/** Whether `text`, in lower case and without accents, is in one of those languages, by one such word or two different ones of the others. */
export function mayBeForeign(text: string): boolean {
  let seen: string | undefined;
  for (const [, own, shared] of text.matchAll(FUNCTION_WORDS)) {
    if (own !== undefined || (seen !== undefined && shared !== seen)) return true;
    seen = shared;
  }
  return false;
}

/** `text` in lower case, its Latin letters without accents. */
export function withoutAccents(text: string): string {
  const lower = text.toLowerCase();
  return BEYOND_ASCII.test(lower) ? lower.normalize('NFD').replace(MARKS, '').replaceAll('ß', 'ss') : lower;
}

const BEYOND_ASCII = /[^\0-\x7f]/;
const MARKS = /[\u0300-\u036f]/g;
