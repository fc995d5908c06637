/** `dprof sequences` on a screen: each sequence with what it could save, and its kernels. */
import type { SequenceRow } from '../../prof/sequences/repeated-sequences.js';
import type { SequenceFacts } from '../../prof/sequences/sequences.js';
import { many } from '../../record/plural.js';
import { amountText } from '../../record/units.js';
import { labelledLine } from '../../table/readable.js';
import { screenText } from './layout.js';

/** Characters of the labels of a sequence's lines. */
const LABEL = 9;

const time = (ns: number | null): string => amountText(ns, 'time');

function linesOf({ saved, small, gaps, count, sequence, time: all, share, launched }: SequenceRow): string[] {
  const { launch, device } = launched;
  const calls = device > 0 ? `; launch calls take ${amountText(launch / device, 'share')} of time and gaps` : '';
  return [
    `${many(sequence.length, 'kernel')}, ${many(count, 'occurrence')}: fusing them saves at most ${time(saved)}`,
    `  ${labelledLine('time:', `${time(all)} (${amountText(share, 'share')} of the time of these kernels), small kernels ${time(small)}, gaps ${time(gaps)}${calls}`, LABEL)}`,
    `  ${labelledLine('kernels:', sequence.join(' > '), LABEL)}`,
  ];
}

/** @param width width of the terminal; null for any other output */
export function sequencesScreen({ rows, kernels, streams, time: all }: SequenceFacts, width: number | null): string {
  const heading = `# ${many(kernels, 'kernel')} that could be fused, on ${many(streams, 'stream')}: ${time(all)} in total`;
  const lines = rows.length === 0 ? ['no sequence of kernels occurs twice'] : rows.flatMap(linesOf);
  return screenText([heading, ...lines], undefined, width);
}
