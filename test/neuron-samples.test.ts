import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attention } from '../samples/programs/neuron-attention.js';
import { metricsOf } from '../samples/programs/neuron-metrics.js';
import { NEURON } from '../samples/programs/write-samples.js';
import { readProfile } from '../src/parse/profile.js';
import type { CopyLine, EndRecord, KernelLine, ProfileLine, SampleRecord } from '../src/record/record.js';
import { common } from './support/common-fields.js';
import { saidOf } from './support/ntff.js';
import { runCli } from './support/run-cli.js';
import { ROOT } from './support/shared.js';

const at = (name: string): string => join(ROOT, 'samples', name);
const recordsOf = (name: string): ProfileLine[] => [...readProfile(at(name), { profile: 0 })];

const LARGEST: Readonly<Record<string, number>> = { ntff: 40_000, neff: 40_000, json: 180_000, jsonl: 40_000 };

type Metered = 'semaphore' | 'throttle' | 'memory';
const isOf =
  (metric: Metered) =>
  (line: ProfileLine): line is SampleRecord =>
    line.type === 'sample' && line.metric === metric;
const isKernel = (line: ProfileLine): line is KernelLine => line.type === 'kernel';
const isCopy = (line: ProfileLine): line is CopyLine => line.type === 'copy';
const isEnd = (line: ProfileLine): line is EndRecord => line.type === 'end';

describe('samples of AWS Neuron', () => {
  it('are small', () => {
    for (const name of Object.keys(NEURON)) {
      expect(readFileSync(at(name)).length, name).to.be.at.most(LARGEST[name.replace(/^.*\./, '')] ?? 0);
    }
  });

  it('the device trace and the JSON agree in their common fields', () => {
    const [trace, tool] = [recordsOf('attention.ntff'), recordsOf('attention.neuron.json')];
    const same = (one: readonly ProfileLine[], other: readonly ProfileLine[], what: string): void => {
      expect(one, what).to.have.length(other.length).above(0);
      for (const [i, line] of one.entries()) {
        const [left, right] = common(line, other[i]);
        expect(left, `${what} ${i + 1}`).to.deep.equal(right);
      }
    };
    const header = (lines: readonly ProfileLine[]): ProfileLine[] =>
      lines.slice(0, 1).map((line) => ({ ...line, format: '', file: '' }) as ProfileLine);
    same(header(trace), header(tool), 'profile');
    // Each has ids of its own; what refers to them is compared below.
    const kernels = (lines: readonly ProfileLine[]): ProfileLine[] =>
      lines.filter(isKernel).map(({ after: _after, labels: _labels, ...line }) => line);
    same(kernels(trace), kernels(tool), 'kernel');
    // The trace says HBM of inputs and outputs, and which semaphore a packet raises.
    const copies = (lines: readonly ProfileLine[]): ProfileLine[] =>
      lines.filter(isCopy).map(({ labels: { variable = '' } = {}, ...line }) => ({ ...line, labels: { variable } }));
    same(copies(trace), copies(tool), 'copy');
    same(trace.filter(({ type }) => type === 'tensor'), tool.filter(({ type }) => type === 'tensor'), 'tensor'); // prettier-ignore
    for (const metric of ['semaphore', 'throttle', 'memory'] as const) {
      same(trace.filter(isOf(metric)), tool.filter(isOf(metric)), metric);
    }
  });

  it('the device trace and the program say of every instruction what the JSON says', () => {
    const [trace, tool] = [recordsOf('attention.ntff'), recordsOf('attention.neuron.json')];
    const [ourSaid, theirSaid] = [saidOf(trace), saidOf(tool)];
    const kernels = trace.filter(isKernel);
    for (const [i, line] of tool.filter(isKernel).entries()) {
      expect(ourSaid(kernels[i]), `instruction ${i + 1}`).to.deep.equal(theirSaid(line));
    }
    // On each core five tiles and the weights are loaded, and a tile is stored.
    const moved = kernels
      .map(({ labels }) => labels?.['source'] ?? labels?.['dest'])
      .filter((name) => name !== undefined);
    const ofCore = ['q', 'k', 'k', 'v', 'v', 'w_out', 'attended'];
    expect(moved.toSorted()).to.deep.equal([...ofCore, ...ofCore].toSorted());
  });

  it('have no irregularities but a broken line and an error in the reports of the monitor', () => {
    const odd = Object.keys(NEURON).map((name) => [name, recordsOf(name).find(isEnd)?.diagnostics]);
    expect(Object.fromEntries(odd)).to.deep.equal({
      'attention.ntff': {},
      'attention.neff': {},
      'attention.neuron.json': {},
      'neuron-summary.json': {},
      'neuron-monitor.jsonl': { 'malformed-event': 1, 'monitor-error': 1 },
    });
  });

  it('the device trace finds the program next to it, with its tensors and the compiler', () => {
    const trace = recordsOf('attention.ntff');
    const tensors = (lines: readonly ProfileLine[]): ProfileLine[] => lines.filter(({ type }) => type === 'tensor');
    expect(tensors(trace)).to.deep.equal(tensors(recordsOf('attention.neff')));
    expect(tensors(trace)).to.have.length(5);
    expect(trace[0]).to.have.nested.property('facts.compilerVersion', '2.99.1000.0+00c0ffee');
  });

  it('the JSON has layers, names of the graph, sources, operands, dependencies and tensors of packets', () => {
    const lines = recordsOf('attention.neuron.json');
    const kernels = lines.filter(isKernel);
    const products = kernels.filter(({ name }) => name === 'MATMUL');
    // On each core: q, two tiles of k, two of probabilities and o transposed; two products each with keys and values,
    // and the projection.
    expect(products).to.have.length(2 * (1 + 2 + 2 + 1 + 2 + 2 + 1));
    for (const { layer, op, trace, operands, counters } of products) {
      expect(layer?.slice(0, 3)).to.deep.equal(['decoder', 'layers.0', 'attention']);
      expect(op?.[0]).to.match(/^%(?:dot|transpose)\.\d+ = /);
      expect(trace?.[0]).to.match(/^attention\.py:\d+$/);
      expect(operands).to.include('128*128');
      expect(counters).to.have.property('elements', 128 ** 3);
    }
    const ids = new Set(kernels.map(({ labels }) => labels?.['id']));
    expect(ids.size).to.equal(kernels.length);
    for (const id of ids) expect(Number(id)).to.be.above(Number.MAX_SAFE_INTEGER);
    for (const { after = [] } of kernels) for (const { id } of after) expect(ids).to.include(id);
    const loads = lines.filter(isCopy).filter(({ labels }) => labels?.['variable'] === 'w_out');
    for (const { labels } of loads) expect(labels).to.include({ source: 'WEIGHT', dest: 'SB' });
    // 128 · 128 weights of two bytes for each core.
    expect(loads.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)).to.equal(2 * 128 * 128 * 2);
    expect(lines.filter(({ type }) => type === 'layer')).to.have.length(2 * 7);
    expect(lines.filter(({ type }) => type === 'notice')).to.have.length(2);
  });

  it('the summary is that of the JSON', () => {
    const reported = (name: string): unknown =>
      Object.fromEntries(
        recordsOf(name).flatMap((line) =>
          line.type === 'sample' && line.labels?.['from'] === 'summary' ? [[line.metric, line.text ?? line.value]] : [],
        ),
      );
    expect(reported('neuron-summary.json')).to.deep.equal(metricsOf(attention()));
    expect(reported('attention.neuron.json')).to.deep.equal(metricsOf(attention()));
  });

  it('what dprof sums up of the device trace is what the program says of the run', async () => {
    const { stdout } = await runCli('dprof', ['summary', '-q', '--vendor-names', '-f', 'json', at('attention.ntff')]);
    const [node] = Object.values(JSON.parse(stdout) as Record<string, Record<string, unknown>>);
    const metrics = metricsOf(attention());
    const both = Object.entries(node ?? {}).filter(([name, value]) => name in metrics && value !== null);
    expect(both).to.have.length.above(50);
    for (const [name, value] of both) {
      const expected = metrics[name];
      if (typeof expected === 'number') expect(value, name).to.be.closeTo(expected, Math.abs(expected) * 1e-9);
      else expect(value, name).to.equal(expected);
    }
  });

  it('dprof takes a program with --neff on a raw capture', async () => {
    const args = ['summary', '-f', 'jsonl', '--neff', at('attention.neff')];
    const ran = await runCli('dprof', [...args, at('attention.ntff')]);
    const { program } = JSON.parse(ran.stdout) as { program: { tensors: { count: number }[] } };
    expect(ran.code).to.equal(0);
    expect(program.tensors.reduce((all, { count }) => all + count, 0)).to.equal(5);
    const missing = await runCli('dprof', ['summary', '--neff', at('none.neff'), at('attention.ntff')]);
    expect([missing.code, missing.stderr]).to.deep.equal([1, `dprof: ${at('none.neff')}: no such file\n`]);
  });

  it('dparse says what it found where there are no kernels', async () => {
    const ran = await runCli('dparse', [at('attention.neff'), at('neuron-monitor.jsonl'), at('attention.ntff')]);
    const messages = ran.stderr.split('\n').map((line) => line.replace(/^.*samples./, '').replace(/;.*/, ''));
    expect(messages).to.include('attention.neff: 5 tensors');
    expect(messages).to.include('attention.ntff: 138 kernels, 192 copies');
    expect(ran.stderr)
      .to.match(/neuron-monitor\.jsonl: \d+ samples/)
      .and.not.include('0 kernels;');
  });

  it('the monitor has two programs, physical cores behind logical ones, and a line that is not a report', () => {
    const samples = recordsOf('neuron-monitor.jsonl').filter((line) => line.type === 'sample');
    expect(new Set(samples.map(({ labels }) => labels?.['report']))).to.have.property('size', 4);
    expect([...new Set(samples.flatMap(({ labels }) => labels?.['tag'] ?? []))]).to.deep.equal(['train-a', 'serve-b']);
    expect(samples.filter(({ metric }) => metric === 'effective_flops')).to.have.length(4 * 3);
    expect(samples.filter(({ metric }) => metric === 'v3d.neuroncore_utilization')).to.have.length(4 * 6);
    const lines = readFileSync(at('neuron-monitor.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines).to.have.length(5);
    expect(() => JSON.parse(lines[2] ?? '') as unknown).to.throw(SyntaxError);
  });
});
