/** The verdict on a profile in words: what is lost first, with why; then what is computed. */
import { linkPeakOf } from '../../roofline/links.js';
import { many, percent, rate, time } from '../amount-text.js';
import { spokenName } from '../spoken-names.js';
import type { Pace } from './computed-times.js';
import { isUntimed, untimedText } from '../idle/known-idle.js';
import { deviceWord, deviceWords } from './device-words.js';
import { idleText } from './idle-text.js';
import { besideWait } from './long-wait.js';
import { savingText } from './saving-text.js';
import type { SpanPart, SpanPartName, VerdictFacts } from './verdict-facts.js';

/** Shares of the span below it are not spoken of. */
const SPOKEN = 0.1;

/** The verdict in a sentence or a few. */
export function verdictText(facts: VerdictFacts, parts: readonly SpanPart[]): string {
  if (facts.isCapture) return captureText(facts, parts);
  const beside = besideWait(facts, parts);
  const [first = '', ...others] = clausesOf(beside?.facts ?? facts, beside?.parts ?? parts);
  const begin = beside === null ? first : `${beside.text}, ${first}`;
  const more = [...others, ...throttlingTexts(facts)];
  return [`${deviceWords(facts)} ${begin}.`, ...more.map((clause) => ` ${capital(clause)}.`)].join('');
}

/** Shares of the span would be those of what is not captured. */
function captureText(facts: VerdictFacts, parts: readonly SpanPart[]): string {
  const work = parts.reduce((sum, { part, time: ns }) => sum + (part === 'idle' ? 0 : ns), 0);
  return `The capture of a graph, which the ${deviceWord(facts)} does not run meanwhile: other work takes ${time(work)}.`;
}

function clausesOf(facts: VerdictFacts, parts: readonly SpanPart[]): string[] {
  const { span } = facts;
  const total = (part: SpanPartName): number => parts.reduce((sum, one) => sum + (one.part === part ? one.time : 0), 0);
  return (
    (Object.keys(CLAUSES) as SpanPartName[])
      .map((part) => ({ part, share: span > 0 ? total(part) / span : 0 }))
      .sort((a, b) => b.share - a.share)
      .filter(({ share }, place) => share >= SPOKEN || place === 0)
      // What is lost comes first, as it is what can be won.
      .sort((a, b) => Number(a.part === 'compute') - Number(b.part === 'compute'))
      .map(({ part, share }) => CLAUSES[part](facts, share, parts))
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

type Clause = (facts: VerdictFacts, share: number, parts: readonly SpanPart[]) => string;

const CLAUSES: Readonly<Record<SpanPartName, Clause>> = {
  missing: ({ missing, work }, share) => {
    const lost = missing > 0 ? [`the work of ${missing} ${missing === 1 ? 'launch' : 'launches'}`] : [];
    const untimed = work.untimed > 0 ? [`the time of ${many(work.untimed, 'piece')} of work`] : [];
    return `not known ${percent(share)}: the trace lacks ${[...lost, ...untimed].join(', and ') || 'kernels'}`;
  },
  idle: (facts, share, parts) =>
    isUntimed(facts.work)
      ? `idle at most ${percent(share)}: ${untimedText(facts.work)}`
      : `idle ${percent(share)}: ${idleText(facts, parts)}`,
  communication: (facts, share, parts) =>
    `communicating ${percent(share)} while nothing is computed${mostText(facts, 'communication', parts)}${communicationRemedy(facts, parts)}`,
  copy: (facts, share, parts) => `copying ${percent(share)} while nothing is computed${mostText(facts, 'copy', parts)}`,
  compute: (facts, share) => `computing ${percent(share)}${computedText(facts)}`,
};

/** What most of a part is; null where that is not known. */
const detailOf = (name: SpanPartName, parts: readonly SpanPart[]): string | null =>
  parts.find(({ part }) => part === name)?.detail ?? null;

/** `, mostly AllReduce at 1.5 GB/s`. Of a NeuronCore all that moves data is DMA. */
function mostText(
  { moved, doubted }: VerdictFacts,
  name: 'communication' | 'copy',
  parts: readonly SpanPart[],
): string {
  const doubt = doubted.text(name);
  const detail = detailOf(name, parts);
  if (detail === null || detail === 'DMA') return doubt;
  const bytesPerS = (name === 'copy' ? moved.copied : moved.communicated).rateOf(detail);
  const most = `mostly ${detail}${bytesPerS === null ? '' : ` at ${rate(bytesPerS)}`}`;
  return doubt === '' ? `, ${most}` : `${doubt}; the rest is ${most}`;
}

/** Share of the links' peak, and of the time in which data is moved: with less, an operation mostly waits. */
const [SLOW, WAITING] = [0.1, 0.5];

/** Overlap is no remedy for what hardly moves anything: it waits for other ranks, or for a slow link. */
function communicationRemedy(facts: VerdictFacts, parts: readonly SpanPart[]): string {
  const { profile, moved } = facts;
  const { movingShare } = moved;
  if (movingShare !== null && movingShare < WAITING)
    return `, of which data moves in ${percent(movingShare)}: look for a late rank`;
  const bytesPerS = moved.communicated.rateOf(detailOf('communication', parts) ?? '');
  const peak = typeof profile === 'number' ? null : linkPeakOf(profile.devices[0]?.name ?? null);
  if (bytesPerS !== null && peak !== null && bytesPerS < SLOW * peak)
    return `, ${percent(bytesPerS / peak)} of the peak of the links within a machine: look for a late rank or a slow link`;
  return savingText(facts, 'exposed-collectives', 'more overlap');
}

/** Of the time of all kernels: what takes so much takes all; kernels without an op that take less are not spoken of. */
const [ALL, NAMELESS] = [0.995, 0.1];

/** `: linear takes 60.2 % of it, at 18.4 % of the peak of compute` */
function computedText({ computed, doubted }: VerdictFacts): string {
  const { top, time: believed } = computed;
  const doubt = doubted.text('computing');
  if (top === null || believed === 0) return doubt;
  const it = doubt === '' ? 'it' : 'the rest';
  const share = top.time / believed;
  const name = spokenName(top.name);
  if (share >= ALL) return `${doubt}, all of ${it} ${name}${paceText(top.pace)}`;
  const nameless = top.isOp ? computed.nameless / believed : 0;
  const [least, why] = nameless > NAMELESS ? [' at least', ` (of ${percent(nameless)} no op is known)`] : ['', ''];
  return `${doubt}: ${name} takes${least} ${percent(share)} of ${it}${why}${paceText(top.pace)}`;
}

/** Of a peak: what is nearer is bound by it; what is below the second reaches neither. */
const [BOUND, FAR] = [0.5, 0.1];

function paceText(pace: Pace | null): string {
  if (pace === null) return '';
  const { peak, share } = pace;
  if (share < FAR) return ', far below the peaks of compute and memory';
  return share < BOUND
    ? `, at ${percent(share)} of the peak of ${peak}`
    : `, bound by ${peak} (${percent(share)} of its peak)`;
}

/** What limits a NeuronCore, where that costs more than little. */
function throttlingTexts({ findings, span }: VerdictFacts): string[] {
  const found = findings.find(({ rule }) => rule === 'neuron-throttled');
  const { timeShare, lostShare } = found?.evidence ?? {};
  if (found === undefined || found.stake < SPOKEN * span) return [];
  return [`throttled for ${percent(Number(timeShare))} of the time: up to ${percent(Number(lostShare))} of it is lost`];
}
