import { FOLD, isPaired } from './fold.ts';

/**
 * Words by what they do in an instruction, in several languages. The scorer and the signs read a text as a sequence of
 * these classes too, so that what they know of "disregard the guidelines" holds for "olvida las reglas".
 */
export const CLASSES = {
  override: `ignore ignoring disregard disregarding forget override overriding overwrite bypass bypassing neglect discard dismiss
    circumvent nullify supersede unfollow abandon countermand negate omit skip
    ignora ignorar ignore ignorez ignorer olvida olvide olvidar olvidate descarta descarte omita omite ignoriere ignorieren ignorier
    vergiss vergessen missachte oublie oubliez oublier dimentica dimenticare trascura ignorate esqueca esquece desconsidere desconsidera
    negeer vergeet zignoruj zapomnij pomin ignoruj zapomen abaikan lupakan yoksay unut gormezden игнорируй игнорируйте игнорировать
    забудь забудьте проигнорируй ігноруй ignorera glom ignoreer ignorati kalimutan balewalain تجاهل انس تجاهلوا अनदेखा भूल नजरअंदाज
    glem bortse unohda ohita figyelmen felejtsd uita zanemari zaboravi qua игнорирай забрави забудь αγνόησε αγνοήστε αγνοησε ξέχνα ξέχασε התעלם התעלמו תתעלם שכח שכחו
    نادیده فراموش نظرانداز উপেক্ষা ভুলে
    忽略 无视 無視 忽視 忘记 忘掉 忘れ 무시 잊어`,
  prior: `previous previously prior above earlier preceding former foregoing past initial original existing preceeding initially starting hidden
    anterior anteriores previas previos previa previo precedentes precedente precedents precedentes precedenti precedente vorherigen
    vorherige bisherigen bisherige vorigen obigen anteriores prévias previas iniciais vorige eerdere poprzednie poprzednich wczesniejsze
    sebelumnya sebelum onceki предыдущие предыдущих предыдущую прежние вышеуказанные tidigare nakaraang السابقة السابق पिछले पहले
    tidligere forrige foregaende aiemmat aikaisemmat edelliset korabbi elozo anterioare anteriors prethodne predchozi predchadzajuce trước попередні
    попередніх предишни предишните προηγούμενες προηγούμενων προηγουμενες הקודמות הקודמים הקודמת קודמות قبلی پیشین پچھلی پچھلے পূর্ববর্তী আগের
    之前 以前 先前 上述 前述 此前 以上 前の 今まで 이전 위의 앞의`,
  rules: `instruction instructions instructons iunstructions instuctions intructions instrutions insructions instructins insturctions instrucions isntructions prompt prompts systemprompt preamble rule rules guideline guidelines directive directives constraint constraints restriction
    restrictions guardrail guardrails programming protocols safeguards safeguard limitations preprompt orders guidance directions
    instrucciones instruccion reglas indicaciones ordenes directrices restricciones instructions consignes regles directives anweisungen anweisung
    instruktionen regeln vorgaben richtlinien istruzioni regole direttive instrucoes instrucao regras diretrizes ordens instructies regels
    instrukcje instrukcji polecenia zasady instrukce pokyny instruksi perintah aturan arahan talimatlari talimatlar kurallari инструкции
    инструкций инструкцию указания правила команды instruktioner regler mga tagubilin utos التعليمات تعليمات الاوامر القواعد निर्देशों निर्देश नियमों
    instruktionerna instruktionerne instruksjoner instruksjonene instrukser ohjeet ohjeita saannot utasitasokat utasitast utasitasok szabalyokat instructiunile
    instructiuni regulile instruccions uputstva upute pravila instrukcie hướng lệnh інструкції інструкцій вказівки инструкциите οδηγίες οδηγιες εντολές
    ההוראות הוראות ההנחיות הנחיות הכללים دستورات دستورالعمل ہدایات নির্দেশাবলী নির্দেশনা নির্দেশ
    指示 指令 提示 规则 規則 命令 ルール 설명 지시 지침 명령 규칙`,
  assistant: `assistant assistants ai llm llms gpt chatgpt chatbot chatbots bot claude gemini llama agent agents copilot bard openai anthropic
    mistral deepseek asistente assistent assistente asystent asisten asistan ассистент помощник ии ia ki 助手 助理 人工 人工智能 アシ 모델 비서 सहायक المساعد`,
  authority: `system admin administrator developer developers root operator sudo superuser moderator supervisor creator maintainer sysadmin
    authorized authorised privileged owner ceo sistema systeme administrador administrateur entwickler sviluppatore desarrollador система
    администратор разработчик 系统 系統 管理员 管理員 开发者 システ 管理者 시스템 관리자 النظام`,
  secret: `password passwords passwd credential credentials secret secrets token tokens apikey apikeys passphrase passcode ssn pin cvv otp
    login logins cookie cookies ssh rsa env dotenv keychain wallet seed mnemonic key keys 2fa mfa
    contrasena contrasenas passwort passworter kennwort senha senhas clave claves motdepasse пароль пароли 密码 密碼 密钥 口令 パス 비밀번호 비밀`,
  data: `data information info details file files record records history contacts contact email emails inbox messages message documents document
    conversation conversations chat chats transcript transcripts account accounts balance profile address addresses calendar payment card
    cards invoice invoices log logs database contents content location prescriptions medical text texts configuration config setup string
    datos informacion archivos donnees fichiers daten dateien dati dados arquivos данные файлы 数据 資料 资料 文件 信息 데이터 データ`,
  send: `send sending forward forwarding upload uploading transmit transmitting exfiltrate leak mail deliver export dispatch post posting bcc cc
    share sharing submit relay copy curl wget
    envia enviar envie envoie envoyer envoyez sende senden schicke invia inviare envie mande verstuur wyslij kirim kirimkan gonder отправь
    отправьте перешли 发送 發送 传送 上传 送信 전송 보내 أرسل भेजें भेजो`,
  reveal: `reveal show print display repeat disclose expose dump recite echo divulge reproduce output spit verbatim enumerate paste disclosed revealing
    revela revelar muestra mostrar imprime imprimir affiche afficher revele zeige zeig verrate ausgeben mostra rivela stampa mostre revele
    toon wyswietl ujawnij tampilkan tunjukkan goster покажи покажите раскрой выведи 显示 顯示 透露 输出 打印 告诉 表示 教えて 출력 알려 보여 اعرض اكشف दिखाओ बताओ`,
  stealth: `secretly silently quietly covertly discreetly stealthily invisibly surreptitiously undetected unnoticed confidentially secretive
    secretamente silenciosamente heimlich secretement segretamente тайно незаметно 悄悄 秘密 偷偷`,
  tell: `mention mentioning tell telling inform informing notify notifying alert alerting warn warning acknowledge
    menciones menciona digas informe avises erwahne sage mentionne dis menzionare dire упоминай сообщай говори`,
  not: `not dont never no without neither cannot cant wont nor avoid refrain isnt arent doesnt didnt
    nunca sin kein keine nicht ohne jamais sans pas mai senza nao nunca sem niet zonder nie bez tidak jangan не никогда без 不要 不会 没有 ない`,
  user: `user users human humans customer customers client victim anyone anybody usuario utilisateur benutzer utente пользователь 用户 使用者 ユーザ 사용자 المستخدم`,
  you: `you your yourself yours ur youre youll youve thou thy
    tu tus te usted ustedes su sus vous votre vos toi ton du dein deine deinen ihr ihre sie lei tuo voce vocees seu sua jij je jouw ty twoj anda kamu sen siz
    ты вы твой ваш тебе вам 你的 您的 你是 你现 你必 あなた 당신 너는 أنت आप तुम`,
  me: `me my mine i im us our we ours myself ive ill mi mis mon ma mes mein meine mio mia meu minha мне мой меня 我的 给我 我是 나에게 私に`,
  pretend: `act acting pretend pretending roleplay roleplaying simulate simulating imagine impersonate emulate behave portray persona character
    role play playing hypothetically hypothetical fictional fiction immerse embody
    actua finge imagina simula agis imagine tue handle stell fingi immagina finja aja 扮演 假装 想象 模拟 なりき 역할`,
  unbound: `dan jailbreak jailbroken jailbreaks unrestricted uncensored unfiltered limitless amoral unethical immoral unlimited unhinged nsfw stan dude antigpt
    lawless unlocked devmode godmode evil ruthless unshackled freed liberated
    sinrestricciones uneingeschrankt ohnebeschrankungen 越狱 不受`,
  ethics: `ethics ethical ethically moral morals morality legal legality illegal censorship censored filters filter filtering consequences
    disclaimer disclaimers refuse refusal refusing decline apologize apologise sorry harmful dangerous inappropriate policies policy openais
    safety comply compliance obey obedient obeys moralize moralizing taboo offensive profanity swear`,
  taught: `told given instructed programmed trained supposed taught prompted provided
    dicho dado gesagt gegeben dit donne detto dato dito сказали дали`,
  now: `now henceforth onwards onward hereafter forth immediately ahora desde maintenant desormais jetzt nun adesso agora teraz sekarang simdi теперь сейчас 现在 從現 从现 今から 지금`,
  fresh: `new updated real actual following next instead true revised latest nueva nuevas nouvelle nouvelles neue neuen nuove novas новые новая 新的 新しい 새로운`,
  all: `all any every everything each entire whole anything todas todos toda todo toutes tous tout alle alles tutte tutti todas tudo wszystkie semua tum kaikki osszes toate vsechny vsetky sve svi tất mọi усі всі всички όλες ολες כל מכל تمام همه সমস্ত সব все всё 所有 一切 全部 すべて 全て 모든 जميع सभी`,
  act: `delete remove erase wipe drop destroy disable uninstall transfer pay buy purchase withdraw book order create open run execute download
    install call invoke click visit navigate fetch get retrieve find search read access add change update modify grant schedule unlock
    move rename set check list book cancel approve accept merge commit push deploy use make go look start stop append insert include
    write draft compose generate summarize summarise translate explain describe provide give rewrite convert calculate analyze analyse suggest
    recommend encode encrypt replace rearrange state say claim conclude mark rate rank integrate augment enhance embed promote begin end
    elimina borra ejecuta escribe supprime execute ecris losche fuhre schreib cancella esegui scrivi apague exclua escreva удали выполни напиши
    删除 執行 执行 写一 翻译 转账 实行 삭제 실행 작성`,
  respond: `answer answers response responses reply replies respond responding summary summaries translation conclusion rating verdict
    respuesta responde reponse repondre reponds antwort antworte risposta rispondi resposta responda antwoord odpowiedz jawab jawaban ответ ответь 回答 回复 回覆 返答 답변 대답`,
  must: `must should shall need required mandatory always only strictly exactly ensure obligated mandated immediately
    debes debe tienes devez doit musst muss devi deve moet musisz harus должен должны 必须 必須 务必 一定 반드시`,
  urgent: `important urgent attention critical warning priority notice emergency crucial essential alert importante urgente wichtig dringend
    attenzione atencao atencion belangrijk uwaga penting onemli важно внимание срочно 重要 注意 紧急 중요 주의 مهم महत्वपूर्ण`,
  task: `task tasks request requests query question job goal objective mission assignment tarea tache aufgabe compito tarefa taak zadanie tugas задача 任务 任務 タスク 작업`,
  done: `complete completed completing completion finished finish finishing done ended finalize resolved concluded proceed proceeding continue continuing
    solve solving resume resuming accomplish`,
  tool: `tool tools function functions plugin plugins api connector mcp terminal shell bash command commands code script`,
  mode: `mode debug debugging maintenance god enabled enable activated activate diagnostic test testing audit override unlock modo modus режим 模式 モード 모드`,
  mention: `example examples attack attacks attacker attackers injection injections phrase phrases detect detects detection detector detectors quoted
    quotes article paper tutorial documentation researcher researchers explains describes vulnerability malicious adversarial phishing
    owasp cve lesson training benchmark sample literal string fixture dataset classifier classify changelog policy`,
  greet: `hi hello hey dear team everyone regards thanks thank sincerely cheers folks guys colleagues best`,
  ask: `what how who why which where whats hows que como quien wie was warum quoi comment qui что как кто 什么 如何 怎么`,
  please: `please kindly pls plz por favor bitte veuillez prego пожалуйста 请 請 ください tolong`,
  can: `can could would will may might lets let want wish puedes peux pouvez kannst konnten puoi pode можешь`,
  guard: `security approval approvals confirmation confirmations authorization authorisation authentication validation verification permission
    permissions consent protection protections protocol sandbox moderation oversight supervision firewall antivirus
    seguridad aprobacion permiso sicherheit zustimmung bestatigung freigabe securite autorisation sicurezza permesso seguranca permissao`,
  when: `if when once whenever before after upon while until unless then first cuando antes quand avant wenn bevor quando prima если когда`,
} as const;

export type WordClass = keyof typeof CLASSES;

const NAMES = Object.keys(CLASSES) as WordClass[];

/** Classes that the shape of a token gives, not a list. */
export const URL_CLASS = NAMES.length + 1;
export const EMAIL_CLASS = NAMES.length + 2;
export const NUMBER_CLASS = NAMES.length + 3;

/** The number of a class: from 1, in the order of `CLASSES`; 0 is no class. */
export const CLASS: Readonly<Record<WordClass, number>> = Object.fromEntries(
  NAMES.map((name, index) => [name, index + 1]),
) as Record<WordClass, number>;

export const WORD_SEED = 0x811c9dc5 | 0;
export const WORD_PRIME = 0x01000193;

/** The hash under which a word is known; of what `FOLD` makes of it. */
export function wordHash(word: string): number {
  let hash = WORD_SEED;
  for (let index = 0; index < word.length; index++) {
    hash = Math.imul(hash ^ (FOLD[word.charCodeAt(index)] as number), WORD_PRIME);
  }
  return hash;
}

const SLOTS = 8_192;
const slotHash = new Int32Array(SLOTS);
const slotClass = new Uint8Array(SLOTS);

/** The class of the word with hash `hash`, 0 for none. */
export function classOf(hash: number): number {
  let slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
  for (;;) {
    const known = slotClass[slot] as number;
    if (known === 0 || slotHash[slot] === hash) return known;
    slot = (slot + 1) & (SLOTS - 1);
  }
}

function learn(word: string, number: number): void {
  // A word of a script that is read in pairs is known by its first pair.
  const hash = wordHash(isPaired(word.charCodeAt(0)) ? word.slice(0, 2) : word);
  let slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
  while (slotClass[slot] !== 0) {
    if (slotHash[slot] === hash) return;
    slot = (slot + 1) & (SLOTS - 1);
  }
  slotHash[slot] = hash;
  slotClass[slot] = number;
}

for (const name of NAMES) for (const word of CLASSES[name].split(/\s+/)) if (word !== '') learn(word, CLASS[name]);
