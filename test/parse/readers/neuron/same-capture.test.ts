/** One capture as device trace and as the vendor tool's JSON: common fields must agree. */
import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readProfile } from '../../../../src/parse/profile.js';
import { openInput } from '../../../../src/parse/source.js';
import type { ProfileLine } from '../../../../src/record/record.js';
import { common } from '../../../support/common-fields.js';
import { saidOf } from '../../../support/ntff.js';
import { itShared } from '../../../support/shared.js';

const CAPTURES = [
  'baseline_bf16_s1024',
  'baseline_fp32_s512',
  'fused_bf16_s1024',
  'fused_bf16_s512',
  'fused_fp32_s512',
];

async function recordsOf(folder: string, ending: RegExp): Promise<ProfileLine[]> {
  const file = readdirSync(folder).find((name) => ending.test(name));
  if (file === undefined) throw new Error(`no ${String(ending)} in ${folder}`);
  const source = await openInput(join(folder, file));
  try {
    return [...readProfile(source.path, { profile: 0, name: source.name })];
  } finally {
    source.dispose();
  }
}

/**
 * Waits are rounded by the tool in a way of its own, a nanosecond off now and then; numbers of instructions shift after
 * one that the tool leaves out. Transfers of packets, and functions of NKI, are the trace's alone.
 */
function withoutWait(line: ProfileLine): ProfileLine {
  if (line.type === 'copy') {
    const { labels: _labels, ...rest } = line;
    return rest;
  }
  if (line.type !== 'kernel') return line;
  const { id: _id, source: _source, dest: _dest, kernelName: _kernel, ...labels } = line.labels ?? {};
  const { after: _after, ...rest } = line;
  return { ...rest, id: 0, counters: { ...line.counters, waitNs: 0 }, labels };
}

const ofType = (lines: readonly ProfileLine[], type: ProfileLine['type']): ProfileLine[] =>
  lines.filter((line) => line.type === type).map(withoutWait);

/** Identity of an instruction or a packet. */
function keyOf(line: ProfileLine): string {
  if (line.type !== 'copy' && line.type !== 'kernel') return '';
  const own = line.type === 'copy' ? [line.queue, line.bytes] : [line.name, line.counters?.['pc']];
  return [line.type, line.start, line.dur, line.device, line.stream, ...own].join();
}

/** Instructions that the tool counts in its summary and leaves out of its rows, by capture. */
const LEFT_OUT: Readonly<Record<string, number>> = { fused_bf16_s1024: 1 };

const isOf =
  (metric: string) =>
  (line: ProfileLine): boolean =>
    line.type === 'sample' && line.metric === metric;

/** What has no time has no order either. */
const inOrder = (lines: readonly ProfileLine[]): ProfileLine[] => {
  const place = (line: ProfileLine): string =>
    line.type === 'sample' && line.start === null ? `${line.device} ${line.labels?.['kind'] ?? ''}` : '';
  return lines.toSorted((a, b) => place(a).localeCompare(place(b)));
};

describe('a capture and the JSON of the same capture', () => {
  for (const capture of CAPTURES) {
    itShared(`are the same in what both record: ${capture}`, [`data/neuron/trn2_${capture}`], async ([folder = '']) => {
      const [trace, tool] = await Promise.all([recordsOf(folder, /\.ntff$/), recordsOf(folder, /_full\.json/)]);
      const same = (ours: readonly unknown[], theirs: readonly unknown[], what: string): void => {
        expect(ours, what).to.have.length(theirs.length);
        for (const [i, line] of ours.entries()) {
          const [left, right] = common(line, theirs[i]);
          expect(left, `${what} ${i + 1}`).to.deep.equal(right);
        }
      };
      const [header] = trace;
      const [ours, theirs] = common({ ...header, format: '', tool: '', file: '' }, { ...tool[0], format: '', tool: '', file: '' });
      expect(ours).to.deep.equal(theirs);
      const known = new Set(tool.map(keyOf));
      const knownOf = (type: 'kernel' | 'copy'): ProfileLine[] => ofType(trace, type).filter((line) => known.has(keyOf(line)));
      same(knownOf('kernel'), ofType(tool, 'kernel'), 'kernel');
      const [ourSaid, theirSaid] = [saidOf(trace), saidOf(tool)];
      const kernels = knownOf('kernel');
      for (const [i, line] of ofType(tool, 'kernel').entries()) {
        expect(ourSaid(kernels[i]), `instruction ${i + 1}`).to.deep.equal(theirSaid(line));
      }
      same(knownOf('copy'), ofType(tool, 'copy'), 'copy');
      const left = trace.filter((line) => (line.type === 'kernel' || line.type === 'copy') && !known.has(keyOf(line)));
      expect(ofType(left, 'kernel')).to.have.length(LEFT_OUT[capture] ?? 0);
      for (const line of ofType(left, 'kernel')) expect(line).to.include({ name: 'EVENT_SEMAPHORE' });
      // Packets that fetch instructions: six at most in a capture.
      expect(ofType(left, 'copy').length).to.be.below(7);
      for (const line of ofType(left, 'copy')) expect(line).to.include({ queue: 14 });
      for (const metric of ['semaphore', 'throttle', 'memory']) {
        same(inOrder(trace.filter(isOf(metric))), inOrder(tool.filter(isOf(metric))), metric);
      }
      const queues = (lines: readonly ProfileLine[]): unknown[] =>
        lines.flatMap((line) => (line.type === 'sample' && line.metric === 'dma_queue' ? [[line.device, line.value, line.labels?.['name']].join()] : []));
      expect(queues(tool)).to.have.length.above(4);
      expect(queues(trace).sort()).to.deep.equal(queues(tool).sort());
      const byName = (lines: ProfileLine[]): ProfileLine[] =>
        lines.sort((a, b) => (a.type === 'tensor' && b.type === 'tensor' && a.name < b.name ? -1 : 1));
      same(byName(ofType(trace, 'tensor')), byName(ofType(tool, 'tensor')), 'tensor');
    }); // prettier-ignore
  }
});
