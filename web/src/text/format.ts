/** Numbers and times as people read them. */

export function duration(us: number): string {
  if (us < 1_000) return `${Math.round(us)} µs`;
  if (us < 1_000_000) return `${significant(us / 1_000)} ms`;
  return `${significant(us / 1_000_000)} s`;
}

export function count(n: number): string {
  return n.toLocaleString('en-US');
}

/** A rate in the unit in which it is no tiny number. */
export function rate(n: number, seconds: number): { value: string; unit: string } {
  const perSecond = seconds > 0 ? n / seconds : 0;
  if (perSecond >= 1) return { value: significant(perSecond), unit: 'per second' };
  return { value: significant(perSecond * 60), unit: 'per minute' };
}

export function share(part: number, whole: number): string {
  if (whole === 0) return '–';
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  return `${percent >= 10 || percent === 0 ? Math.round(percent) : percent.toFixed(1)} %`;
}

/** How much more or less `now` is than `before`, in words. */
export function change(now: number | null, before: number | null): string {
  if (now === null || before === null || !Number.isFinite(now) || !Number.isFinite(before)) return '–';
  if (now === before) return 'the same';
  if (before === 0) return 'new';
  const percent = (100 * (now - before)) / before;
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent) < 1 ? '< 1' : count(Math.round(Math.abs(percent)))} %`;
}

function significant(n: number): string {
  if (n === 0) return '0';
  return n >= 100 ? count(Math.round(n)) : String(Number(n.toPrecision(n >= 10 ? 3 : 2)));
}

const TIME = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** Local time, with the day where it is not today. */
export function localTime(at: Date, now: Date): string {
  if (at.toDateString() === now.toDateString()) return TIME.format(at);
  const day = at.getFullYear() === now.getFullYear() ? DAY : YEAR;
  return `${day.format(at)}, ${TIME.format(at)}`;
}

const MINUTE = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const DAY_SECONDS = 86_400;

/**
 * What stands at the marks of a time axis, `stepSeconds` apart: days, or the local time with the day below where it is another than at
 * the mark before.
 */
export function axisTimes(marksSeconds: readonly number[], stepSeconds: number): string[] {
  const days = marksSeconds.map((seconds) => DAY.format(new Date(seconds * 1000)));
  if (stepSeconds >= DAY_SECONDS) return days;
  return marksSeconds.map((seconds, index) => {
    const time = (stepSeconds < 60 ? TIME : MINUTE).format(new Date(seconds * 1000));
    return days[index] === days[index - 1] ? time : `${time}\n${days[index]}`;
  });
}

/** How long something lasted. */
export function span(fromMs: number, toMs: number): string {
  const seconds = Math.max(0, Math.round((toMs - fromMs) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}
