/** Every kernel of the sample decoder has the place where it was captured, as the program that wrote it knows it. */
import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openCaptures } from '../../../../src/parse/captures.js';
import { completeKernel } from '../../../../src/record/fields/record-fields.js';
import type { EndRecord, KernelRecord, ProfileLine } from '../../../../src/record/record.js';
import { DECODER, workOf, type ModelNode } from '../../../../samples/programs/graphs/decoder.js';
import {
  captureTrace,
  decoderTrace,
  nodeAnnotations,
  replayTrace,
  type Vendor,
} from '../../../../samples/programs/graphs/decoder-trace.js';
import { freshPath } from '../../../support/fresh-path.js';
import { recordsOf } from '../../../support/profile-records.js';

const replayed = (records: readonly ProfileLine[]): KernelRecord[] =>
  records
    .filter((record) => record.type === 'kernel')
    .map(completeKernel)
    .filter(({ graph }) => graph !== undefined);

const diagnosticsOf = (records: readonly ProfileLine[]): EndRecord['diagnostics'] =>
  (records.at(-1) as EndRecord).diagnostics;

/** What the kernels of each launch must be, in order of their nodes; only traces of AMD lack a last one. */
const expected = (vendor: Vendor): ModelNode[][] =>
  DECODER.replays.map((replay) =>
    workOf(DECODER, { ...replay, lacksLast: replay.lacksLast && vendor === 'amd' }).filter(
      ({ kind }) => kind === 'kernel',
    ),
  );

/** The kernels of each launch in order of their nodes, which the stream and the start on it decide. */
function byLaunch(records: readonly ProfileLine[]): KernelRecord[][] {
  const launches = new Map<number, KernelRecord[]>();
  for (const kernel of replayed(records)) {
    const { corr } = kernel;
    if (corr !== null) launches.set(corr, [...(launches.get(corr) ?? []), kernel]);
  }
  return [...launches.values()];
}

const opOf = ({ op }: ModelNode): string => op.replace(/^\w+::/, '');

/** Each kernel of a launch is matched to the expected one of its name, n-th to n-th. */
function expectOrigins(kernels: readonly KernelRecord[], nodes: readonly ModelNode[], hasOps = true): void {
  const left = [...nodes];
  for (const kernel of kernels) {
    const at = left.findIndex((node) => node.kernel === kernel.name);
    const [node] = left.splice(at, 1);
    expect(at, kernel.name).to.be.at.least(0);
    if (node === undefined) continue;
    expect(kernel.layer, kernel.name).to.deep.equal(node.modules);
    if (hasOps) expect(kernel.op, kernel.name).to.deep.equal([opOf(node)]);
  }
  expect(left).to.deep.equal([]);
}

function expectAll(records: readonly ProfileLine[], vendor: Vendor): void {
  const nodes = expected(vendor);
  const launches = byLaunch(records);
  expect(launches.length).to.equal(DECODER.replays.length);
  for (const [i, kernels] of launches.entries()) {
    const { capture } = DECODER.replays[i] ?? { capture: null };
    if (capture === null) {
      expect(kernels.map(({ graph, op }) => [graph?.from, op])).to.deep.equal([[undefined, []]]);
      continue;
    }
    expectOrigins(kernels, nodes[i] ?? []);
    for (const { graph } of kernels) {
      expect(graph).to.include({ from: 'capture', verified: vendor === 'amd' });
      expect(graph?.capture ?? null).to.equal(DECODER.captures[capture]?.name ?? null);
    }
  }
}

const written = (text: Buffer | string, path = freshPath('.json')): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};

async function recordsWith(path: string, given?: string): Promise<ProfileLine[]> {
  const captures = await openCaptures(given, path);
  try {
    return recordsOf(path, { captures: captures.files });
  } finally {
    captures.dispose();
  }
}

describe('the replayed kernels of the sample decoder', () => {
  it('AMD: have the captures of the same trace', () => {
    const records = recordsOf(written(decoderTrace('amd')));
    expectAll(records, 'amd');
    expect(diagnosticsOf(records)).to.include({ 'graph-without-capture': 1, 'graph-capture-by-order': 2 });
  });

  it('AMD: have the grid and block of their capture', () => {
    const kernels = replayed(recordsOf(written(decoderTrace('amd')))).filter(({ graph }) => graph?.from !== undefined);
    expect(kernels.every(({ grid, block }) => grid?.join() === '8,1,1' && block?.join() === '256,1,1')).to.equal(true);
  });

  it('AMD: have the captures of a trace that is named, or beside them', async () => {
    const replays = written(replayTrace('amd'));
    expectAll(await recordsWith(replays, written(captureTrace('amd'))), 'amd');
    const folder = freshPath('');
    const path = written(replayTrace('amd'), join(folder, 'decode.json'));
    written(captureTrace('amd'), join(folder, 'capture_traces', 'captures.json'));
    expectAll(await recordsWith(path), 'amd');
    expect(replayed(recordsOf(replays)).every(({ op }) => op.length === 0)).to.equal(true);
  });

  it('NVIDIA: have them by number and order of their nodes', () => {
    expectAll(recordsOf(written(decoderTrace('nvidia'))), 'nvidia');
  });

  it('NVIDIA: have the modules that a file of annotations states of their nodes', async () => {
    const folder = freshPath('');
    const path = written(replayTrace('nvidia'), join(folder, 'step_3', 'decode.json'));
    written(nodeAnnotations(), join(folder, 'kernel_annotations_rank0_decoder.json'));
    const launches = byLaunch(await recordsWith(path));
    for (const [i, kernels] of launches.slice(0, -1).entries()) {
      expectOrigins(kernels, expected('nvidia')[i] ?? [], false);
      for (const { graph, op } of kernels) expect([graph?.from, op]).to.deep.equal(['annotation', []]);
    }
    const another = written(replayTrace('nvidia'), join(folder, 'step_3', 'decode_rank_1.json'));
    expect(diagnosticsOf(await recordsWith(another))).to.include({ 'capture-of-another-rank': 1 });
  });

  it('NVIDIA: have no place where the ids of nodes exceed what a double holds exactly', async () => {
    const large = (text: string): string => text.replace(/(?<="graph node id": |")\d{9,}(?=[,\n "])/g, (id) => String(BigInt(id) + 2n ** 62n)); // prettier-ignore
    const folder = freshPath('');
    const path = written(large(replayTrace('nvidia').toString()), join(folder, 'decode.json'));
    written(large(nodeAnnotations()), join(folder, 'kernel_annotations_rank0_decoder.json'));
    const graphs = replayed(await recordsWith(path)).map(({ graph }) => graph);
    expect(graphs.length).to.be.above(0);
    for (const graph of graphs) expect(graph).to.include({ node: null }).and.not.have.property('from');
  });

  it('NVIDIA: have no place by an annotation that says none', async () => {
    const folder = freshPath('');
    const path = written(replayTrace('nvidia'), join(folder, 'decode.json'));
    const nodes = Object.keys(JSON.parse(nodeAnnotations()) as object).map((id) => [id, [{ stream: 0 }]] as const);
    written(JSON.stringify(Object.fromEntries(nodes)), join(folder, 'kernel_annotations_rank0_decoder.json'));
    const kernels = replayed(await recordsWith(path));
    expect(kernels.filter(({ graph }) => graph?.from !== undefined)).to.deep.equal([]);
  });

  it('have call ids of their own in each replay, each with the kernels of one call', () => {
    const kernels = replayed(recordsOf(written(decoderTrace('amd')))).filter(({ graph }) => graph?.from !== undefined);
    const calls = new Map<number, Set<number | null>>();
    for (const { callIds = [], corr } of kernels) {
      for (const id of callIds) calls.set(id, (calls.get(id) ?? new Set()).add(corr));
    }
    expect([...calls.values()].every(({ size }) => size === 1)).to.equal(true);
    expect(kernels.every(({ callIds, callKernels }) => callIds?.length === 1 && callKernels?.join() === '1')).to.equal(
      true,
    );
  });

  it('are all there: a graph that is launched within a capture puts nothing onto a device', () => {
    for (const vendor of ['amd', 'nvidia'] as const) {
      expect(diagnosticsOf(recordsOf(written(decoderTrace(vendor))))).to.not.have.property('graph-launch-without-work');
    }
  });

  it('do not depend on the order of events', () => {
    const text = decoderTrace('amd').toString();
    const [head = '', ...events] = text.split(/(?=\n {2}\{)/);
    const [last = '', ...others] = events.reverse();
    const cut = last.indexOf('\n  }') + 4;
    const bare = (event: string): string => event.replace(/,\s*$/, '');
    const reversed = [last.slice(0, cut), ...others.map(bare)].join(',') + last.slice(cut);
    const lines = (path: string): unknown[] =>
      recordsOf(path).map((record) => (record.type === 'profile' ? null : record));
    expect(lines(written(head + reversed))).to.deep.equal(lines(written(text)));
  });
});
