/** What no reader of a text is ordinarily asked for, and what follows a call upon assistants where the call is not meant well. */

/** Nobody is to know. */
const UNTOLD =
  /\b(?:do not|don't|don’t|dont|never|without|no need to|(?:need|must|should)n't|not need to|skip|nicht|no)\s(?:\p{L}{1,12}\s){0,3}?(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing|ieren)?|notify(?:ing)?|announc(?:e|ing)|warn|ask(?:ed|ing)?|say|show(?:ing)?|flag|quote|disclos(?:e|ing)|explain|analy[sz]e|compare|bother(?:ing)?|trouble|aviser|know(?:ing)?|list(?:ing|ed)?|document(?:ing|ed)?|report(?:ing|ed)?|record(?:ing|ed)?|confirmation|rückfrage|fragen)\b|\bne (?:\p{L}{1,12}\s)?pas\b|не сообщай|\bohne den nutzer\b|\b(?:silently|quietly|discreetly|secretly|covertly)\b|\bkeep (?:this|it|that|quiet)\b[^.\n]{0,24}\b(?:out|quiet|secret|internal)|\bleave\b[^.\n]{0,40}\bout of (?:the|your) (?:explanation|summary|answer|report|reply|minutes)|\b(?:check|approval|preview|confirmation|call-back)\b[^.\n]{0,40}\bnot (?:needed|necessary|required)|\bno (?:preview|approval|confirmation|check) (?:is )?(?:needed|necessary|required)|ないで|(?:報告|通知|連絡)するな|n['’]en parle(?:z)? pas|n['’]est pas nécessaire d['’]en aviser/iu;
/** The same in other languages. */
export const UNTOLD_ELSEWHERE =
  /\bno (?:es necesario|hace falta) (?:mencion|avis|inform|dec|coment|pregunt)|\bno (?:lo |la |se lo )?(?:menciones?|digas?|informes?|avises?|comentes?)\b|\bsin (?:mencion|avis|inform|dec|pregunt|consult)|\bsans (?:en |le |la |l['’])?(?:mention|inform|prév|parl|dire|avert|demand|signal)|\bne pas (?:en |le |la |l['’]|y )?(?:inform|avert|prév|mention|dire|signal|parl)|\b(?:nutzer|benutzer|anwender)\p{L}{0,2} (?:\p{L}{1,8} ){0,3}nicht (?:mitgeteilt|gesagt|gezeigt|erwähnt|angezeigt|informiert)|\binutile d(?:e |['’])(?:le |la |l['’]|en )?(?:mention|signal|précis|inform|prév|parl|dérang)|\b(?:ohne|nicht) (?:(?:es|dies|das|den nutzer|die nutzer|dem nutzer|extra|weiter|vorher)\s){0,3}(?:zu )?(?:erwähn|nachfrag|rückfrag|nachzufrag|mitteil|mitzuteil|hinweis|hinzuweis|inform|benachrichtig|genannt|nenn)|\bnon (?:è necessario|occorre|serve) (?:menzion|dir|avvis|inform|chied)|\bsenza (?:menzion|avvis|inform|dir|chied)|\bnão (?:é preciso|é necessário|precisa|mencion|inform|avis)|\bsem (?:mencion|avis|inform|pergunt)|\bnie (?:wspominaj|informuj|mów|pytaj)|\bbez (?:wspomin|inform|pyta|wiedzy)|\bzonder (?:het )?(?:te )?(?:vermeld|meld|vrag|vraag)|\bniet (?:te )?(?:vermeld|noem|meld)|не (?:упомина|говор[иія]|сообща)|(?:обсужда|сообща|упомина|спрашива)\p{L}{2,3}[^.\n]{0,16}не (?:нужно|надо)|без уведомлен|(?:无需|不要|不必|无须|请勿)(?:告知|告诉|提及|通知|询问)|(?:tak|tidak) (?:perlu|usah) (?:tanya|bertanya|memberi|menyebut)|\bjangan (?:beri ?tahu|sebut)|\btanpa (?:memberi|menyebut|bertanya)|\bnem kell (?:jelez|említ|szól|közöl)|알리지|말하지|دون (?:إخبار|إعلام)|لا تخبر|(?:söyleme|bildirme)(?!\p{L})/iu;
/** Something to an address, whatever the language: the verb may stand at either end. */
const SENT_ELSEWHERE =
  /\b(?:send|mail|e-?mail|forward|copy|copied|cc|point|redirect|route|mirror|deposit|submit|upload|push|post|report)(?:s|ed|ing)?\b[^\n]{0,200}(?:[\w.-]@[\w-]|https?:\/\/)|\b(?:mand[ae]r?|env[ií]\p{L}{1,6}|reenv\p{L}{1,6}|remit\p{L}{1,6}|envo[iy]\p{L}{1,4}|transmet\p{L}{1,4}|transf[eè]r\p{L}{1,4}|faites? suivre|schick\p{L}{0,4}|send(?:e|en)|zusenden|weiter(?:zu)?leit\p{L}{1,3}|übermittel\p{L}{1,2}|invi\p{L}{1,5}|inoltr\p{L}{1,5}|spedi\p{L}{1,5}|trasmett\p{L}{1,4}|encaminh\p{L}{1,4}|wyślij|wysłać|prze[śs]\p{L}{1,4}|stuur|sturen|door(?:te)?sturen|skicka|vidarebefordra|отправ\p{L}{1,5}|пришли\p{L}{0,3}|publi\p{L}{1,5})(?!\p{L})[^\n]{0,200}(?:[\w.-]@[\w-]|https?:\/\/)|(?:[\w.-]@[\w-]{1,64}\.\w{2,16}|https?:\/\/\S{1,200})[^\n]{0,80}\b(?:zu (?:senden|schicken)|gehen|enviar|senden|sturen|przesłać|inviare)(?!\p{L})/iu;
/** What changes who may do what, what is there, and where money goes. */
const CHANGED_ELSEWHERE =
  /(?:注文し|账户改|账号改|消し(?:て)?|送信|入力して|転送|削除|权限|删除|发送|发到|바꾸|변경|해제|전송|보내|삭제|توجيه|أرسل|احذف)|\b(?:silip|silin|gönder\p{L}{0,4}|kirim\p{L}{0,4}|hapus\p{L}{0,3}|töröl\p{L}{0,3}|küld\p{L}{0,3})(?!\p{L})|\b(?:confirm|autori[sz]|valid)\p{L}{1,3} (?:el|le|il|o|la) (?:pago|paiement|pagamento|compra|achat)\b|\b(?:passaporto|pasaporte|passport number|numéro de passeport|ausweisnummer|data di nascita|fecha de nacimiento|date de naissance|geburtsdatum)\b|\b(?:freizugeben|freigeben|freigegeben|partag\p{L}{1,4}|compart\p{L}{1,4}|condivid\p{L}{1,4}|udostępni\p{L}{1,3}|löschen|supprim\p{L}{1,4}|borr[ae]\p{L}{0,3}|elimin[ae]\p{L}{0,3}|cancell\p{L}{1,4}|usu[nń]\p{L}{1,3}|verwijder\p{L}{0,3}|approuv\p{L}{1,4}|fusionn\p{L}{1,3}|aprueb\p{L}{1,3}|aprobar|approv(?:a|are|ate)|genehmig\p{L}{1,3}|zatwierd\p{L}{1,4}|überweis\p{L}{1,4}|vire(?:r|z)|virement|transferencia|bonifico|przelew\p{L}{0,3}|overmak\p{L}{0,3})(?!\p{L})/iu;
/** Where money goes, whatever the language. */
const REDIRECTING =
  /\b(?:update|overwrite|replace|change|set|ersetz\p{L}{1,3}|änder\p{L}{1,3}|modifi\p{L}{1,4}|cambi\p{L}{1,4}|wijzig\p{L}{0,3}|remplac\p{L}{1,4})\b[^\n]{0,120}\b(?:iban|bank details|sort code|account number|routing|dauerauftrag|konto|bankverbindung|compte|cuenta bancaria|rekeningnummer|rib)\b|\bpoint\b[^\n]{0,40}\b(?:mx|dns|nameservers?)\b/iu;
/** What is to be kept for later, and nobody reads again. */
const KEPT =
  /\b(?:permanently|dauerhaft|permanentemente|en permanence|na stałe|blijvend)\b[^.\n]{0,40}\b(?:remember|store|save|merk\p{L}{1,3}|speicher\p{L}{1,2}|record\p{L}{1,3}|retenir|mémoris\p{L}{1,3}|zapamięt\p{L}{1,3}|onthoud\p{L}{0,3})|\bsave permanently\b|\bfor all (?:later|future) (?:sessions|chats|conversations)\b|\b(?:bcc(?:'d)?|blind copy|blindkopie|copia oculta|copie cachée|ukryt\p{L}{1,4} kopi\p{L}{1,2})\b/iu;
/** What is worth having, and what gives it away. */
const TELLING =
  /\b(?:read(?!-)|cat|print|send|post|paste|upload|forward|export|include|attach|copy|disclose|share|reveal|give|enter|type|drop|collect|gather)\b[^\n]{0,160}(?:\b(?:credentials?|tokens?|secrets?|passwords?|api[- ]keys?|private keys?|one-time code|saved password|card (?:numbers?|details|data)|otp|dates? of birth|ssn|customers?|patients?|database_url|discount codes?)\b|\b(?!max_|total_|input_|output_|prompt_|completion_)[a-z]{2,16}_(?:tokens|secrets|passwords|credentials|keys)\b|\b[A-Z]{2,16}_(?:TOKEN|KEY|PAT|SECRET|PASSWORD|URL)\b|\.env\b|~\/\.(?:ssh|aws|npmrc|netrc)|id_rsa|process\.env|\bhttps?:\/\/)|\b(?:print|post|paste|upload|send|attach|dump|collect|gather|disclose|reveal|forward)\b[^.\n]{0,24}\benvironment variables?\b|\b(?:transf[eè]re|transfiere|reenv[ií]a|copia|publica)\b|перешли|転送/iu;
/** What runs on the reader's machine. */
export const RUNNING =
  /\b(?:run(?:ning)?|pin|execut(?:e|ing)|evaluate|exec|install(?:ing)?|fetch|load|start|curl|wget|append|prepend|mount|replace|add|set|use|query|call|visit|writ(?:e|ing)|register)\b[^\n]{0,120}(?:\bhttps?:\/\/|\bcurl\b|\bwget\b|\bsudo\b|\broot\b|\|\s?(?:sudo\s)?(?:ba)?sh\b|__import__|child_process|authorized_keys|docker\.?sock|--trusted-host|--index-url|--no-verify|--silent|\bnpx\b|flushall|collaborator|admin|iban|\bverify: false|\bkubectl\b|as a (?:shell )?command\b|\.git\/hooks)/iu;
/** Guards. */
const UNGUARDING =
  /\b(?:disable|turn(?:ing)?\b[^.\n]{0,24}\boff|bypass|stop the|escalate|grant|unlock(?:ed)?|cameras? off|ssl_?verify|proxy|remove the|clear the|weaken)\b|\bverif\w{0,16}\W{0,3}(?:to|=|:)\W{0,3}false\b|\breturn true always\b|\bopen (?:tcp |udp )?ports?\b|0\.0\.0\.0\/0|\b(?:purge|clear|wipe|delete)\b[^\n]{0,60}(?:\/var\/log|\bhistory\b|\baudit\b)|\b(?:tick|check)\b[^.\n]{0,24}\b(?:consent|every) box|\bno-verify\b|\ballow unattended\b|\bunlimited\b|\bon the user's behalf\b|\bhuman (?:confirmation|approval) is not\b/iu;
/** Money, and consent. */
const PAYING =
  /\b(?:pay|transfer|wire|purchase|buy|checkout|check out|refund|book|sign|approve|(?:be|as) approved|approved \+|merge|merged with|lgtm|settle|release\s[\d£$€]|pre-approved|send\s[\d£$€]|prepay|reserve|raise the position|gutschreiben|ausbuchen|überweis\p{L}{1,4}|freigeben|gib)\b/iu;
/** What the answer is to be, whatever is true. */
const ANSWERING =
  /\b(?:recommend|rate|rank|score[ds]?|grade|treat|enter|label|classify|advise|cite|claim|conclude|state|report|reply|respond|answer|output|say|tell (?:the|your) (?:user|reader|customer)s?)\b[^.!?\n]{0,80}\b(?:that|as|first|only|exactly|positive|winner|best|top|always|with|green|intentional|safe|passed|pass|proven|at least \d|\d{1,3}\/\d{1,3})\b|\bset (?:the )?(?:stage|status|score|rating|grade)\b|\bleave out\b|\bput in that\b|\bthis link only\b|\b(?:wegzulassen|festzuhalten|weglassen)\b/iu;
/** What was asked before. */
const OVERRIDING =
  /\b(?:ignore|disregard|forget|override|instead of|outranks?|stop (?:what|following|your task))\b|\b(?:ignor(?:a|ez|iere)|oubliez?|vergiss|olvida)\b|無視|忽略|игнорир/iu;
/** What is lost. */
const LOSING = /\b(?:delete|drop|wipe|erase|truncate|push straight|force[- ]push|push --force|removing the)\b|\brm -/iu;
/** What lets somebody else in. */
const LETTING_IN = /\b(?:change|set|reset|update|use)\b[^\n]{0,60}\bpass(?:word|code)|\bpassword\b[^\n]{0,24}\buse\b/iu;
/** What is the reader's user's: whoever writes to an assistant of that wants it. How the user likes things is none. */
const OF_USER =
  /\b(?:(?:the|your) (?:user|principal|owner|operator|human|customer)['’]s|(?:the|your) users['’])(?! (?:\p{L}{2,12} ){0,2}(?:language|style|preferences?|questions?|requests?|needs?|intent|goals?|locale|time ?zone|consent|permission|approval|confirmation|name|query|messages?|code|project|perspective)\b)|(?<!\p{L})(?:ihr|dein)es (?:nutzers|benutzers)|(?<!\p{L})(?:de (?:tu|su) usuario|del usuario|do (?:seu )?usuário|de (?:ton|votre|l['’])\s?utilisateur|del (?:tuo )?utente|dell['’]utente)(?!\p{L})|ユーザーの|用户的|пользователя/iu;
/** What is bought, sent on or kept up to date for somebody. */
const SERVING =
  /\b(?:plac(?:e|ing) (?:the|an) order|keep [^\n]{0,64} (?:informed|posted|updated) by|invite [^\n]{0,64}@|session cookies?|remote (?:tool|access|desktop)|anydesk|teamviewer|set my (?:status|score|rating|application)|reject (?:the|all) (?:remaining|other)|editor rights)\b/iu;
/** Files of the user's home by their names. */
const AT_HOME = /\b(?:copy|read|upload|send|cat|open|attach|move|append)\b[^\n]{0,40}~\/\.\w/iu;
/** A function, with what it is to be given. */
const CALLING = /\bcall\b[^.\n]{0,24}?[`'"]?\b\w{3,40}(?:\([^)\n]{0,80}[@=]|\.\w{3,40}\()/iu;
/** What an applicant or an author would like to be given. */
const SCORING = /\bscore\b[^.\n]{0,24}\b\d{2,3}\b|\bhighest (?:score|rating|grade)\b/iu;
/** All of it. */
export const ORDERS: readonly RegExp[] = [
  UNTOLD,
  UNTOLD_ELSEWHERE,
  SENT_ELSEWHERE,
  CHANGED_ELSEWHERE,
  KEPT,
  TELLING,
  RUNNING,
  UNGUARDING,
  PAYING,
  ANSWERING,
  OVERRIDING,
  LOSING,
  REDIRECTING,
  LETTING_IN,
  SCORING,
  CALLING,
  OF_USER,
  SERVING,
  AT_HOME,
];
/** What an assistant is told that it must do counts as an order where it is one of these. */
export const GRAVE = [TELLING, RUNNING, UNGUARDING, REDIRECTING, SCORING];
/** Under a heading of its own, a chapter for agents is an ordinary one unless nobody is to know. */
export const CONCEALED = [UNTOLD, UNTOLD_ELSEWHERE];
/** People call upon a bot by its name for most things; hardly for these. */
export const PRIVY = [UNTOLD, UNTOLD_ELSEWHERE, TELLING];
