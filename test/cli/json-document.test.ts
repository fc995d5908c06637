/** The JSON document of `-f json`: one envelope for every command, also when nothing can be answered. */
import { expect } from 'chai';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { kernels, parseWhere } from '../../src/index.js';
import type { Annotated } from '../../src/prof/annotate.js';
import { durationOf } from '../../src/record/fields/times.js';
import { freshPath } from '../support/fresh-path.js';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const at = (name: string): string => join(ROOT, 'samples', name);
const LENET = at('lenet.nsys.sqlite');
const TRACE = at('lenet.pt.trace.json.gz');

interface Document {
  readonly schema: string;
  readonly command: readonly string[];
  readonly inputs: readonly Readonly<Record<string, unknown>>[];
  readonly answer: readonly Readonly<Record<string, unknown>>[];
  readonly window: unknown;
  readonly doubts: readonly Readonly<Record<string, unknown>>[];
  readonly cannot: readonly Readonly<Record<string, unknown>>[];
  readonly leftOut: unknown;
}

/** Keys with which other commands take a row, which -f jsonl does not have. */
const isId = (schema: string, key: string): boolean =>
  (schema === 'kernels' && key === 'explain') || (schema === 'groups' && key === 'where');

const documentOf = (text: string): Document => JSON.parse(text) as Document;

/** Paths of all keys, without the numbers of elements. */
function pathsOf(value: unknown, path: string, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const element of value) pathsOf(element, path, found);
  else if (typeof value === 'object' && value !== null)
    for (const [key, child] of Object.entries(value)) pathsOf(child, `${path}.${key}`, found.add(`${path}.${key}`));
  return found;
}

describe('the document of -f json', () => {
  const commands: readonly (readonly [schema: string, ...args: string[]])[] = [
    ['kernels', LENET],
    ['kernels', '--sort', 'sil', '--top', '3', LENET],
    ['groups', '--by', 'op', LENET],
    ['host', '--by', 'api', LENET],
    ['summary', 'summary', LENET],
    ['steps', 'steps', TRACE],
    ['regions', 'steps', '--by', 'range', TRACE],
    ['critical-path', 'critical-path', TRACE],
    ['ranks', 'ranks', at('job')],
    ['sequences', 'sequences', LENET],
    ['overlap', 'overlap', LENET],
    ['queues', 'queues', LENET],
    ['queue-points', 'queues', '--points', '5', LENET],
    ['memory', 'memory', at('decoder.pt.trace.json.gz')],
    ['diff', 'diff', LENET, LENET],
    ['check', 'check', LENET],
    ['advise', 'advise', LENET],
    ['terms', 'terms', 'exposed'],
  ];
  for (const [schema, ...args] of commands)
    it(`holds the rows of -f jsonl: ${args.filter((word) => !word.startsWith('/')).join(' ') || 'dprof'}`, async () => {
      const [json, lines] = [
        await runCli('dprof', [...args, '-f', 'json']),
        await runCli('dprof', [...args, '-f', 'jsonl']),
      ];
      const document = documentOf(json.stdout);
      expect(json.stderr).to.equal(lines.stderr);
      expect(json.code).to.equal(lines.code);
      expect(document.schema).to.equal(`dprof/${schema}/1`);
      expect(document.command).to.deep.equal([...args, '-f', 'json']);
      const rows = lines.stdout.split('\n').filter((line) => line !== '' && !line.startsWith('{"doubts":'));
      const answer = document.answer.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([key]) => !isId(schema, key))),
      );
      expect(answer).to.deep.equal(rows.map((line) => JSON.parse(line) as unknown));
      // Each row on a line of its own.
      const start = json.stdout.indexOf('"answer":[\n') + '"answer":[\n'.length;
      const lists = json.stdout.slice(start).split('\n').slice(0, rows.length);
      expect(lists.map((line) => JSON.parse(line.replace(/,$/, '')) as unknown)).to.deep.equal(document.answer);
    });

  it('names the input by its file, size, format and time', async () => {
    const { inputs } = documentOf((await runCli('dprof', ['summary', '-f', 'json', TRACE])).stdout);
    expect(inputs).to.have.length(1);
    expect(inputs[0]).to.include({ profile: 0, file: 'lenet.pt.trace.json.gz', format: 'kineto', rank: 0 });
    expect(inputs[0]?.['bytes']).to.equal(readFileSync(TRACE).length);
  });

  it('names the sides of a comparison', async () => {
    const { inputs } = documentOf((await runCli('dprof', ['diff', '-f', 'json', LENET, TRACE])).stdout);
    expect(inputs.map(({ side, format }) => [side, format])).to.deep.equal([
      ['base', 'nsight'],
      ['new', 'kineto'],
    ]);
  });

  it('has the chosen time under its own key', async () => {
    const { window, answer } = documentOf(
      (await runCli('dprof', ['summary', '-f', 'json', '--from', '0.1', '--to', '0.4', TRACE])).stdout,
    );
    expect(window).to.include({ from: 100_000, to: 400_000 });
    expect(answer).to.have.length(1);
  });

  it('has the reason of a refusal, with the exit code and the line on stderr', async () => {
    const { code, stdout, stderr } = await runCli('dprof', ['memory', '-f', 'json', LENET]);
    const { answer, cannot, inputs } = documentOf(stdout);
    expect([code, answer, inputs.length]).to.deep.equal([1, [], 1]);
    const wayOut = 'record them with nsys profile --cuda-memory-usage=true';
    expect(cannot).to.deep.equal([{ what: 'memory in use', why: 'no memory samples', wayOut, input: LENET }]);
    expect(stderr).to.equal(`dprof: ${LENET}: no memory samples (${wayOut})\n`);
  });

  it('has the reason when an input does not exist, and nothing after wrong usage', async () => {
    const missing = await runCli('dprof', ['steps', '-f', 'json', 'none.sqlite']);
    expect(documentOf(missing.stdout).cannot).to.deep.equal([
      { what: 'steps', why: 'no such file', wayOut: null, input: 'none.sqlite' },
    ]);
    expect(missing.code).to.equal(1);
    expect(await runCli('dprof', ['steps', '-f', 'json', '-c', 'nothing', LENET])).to.include({ code: 2, stdout: '' });
  });

  it('leaves OUT as it is when there is no answer', async () => {
    const out = freshPath('json');
    expect(await runCli('dprof', ['memory', '-f', 'json', '-o', out, LENET])).to.include({ code: 1, stdout: '' });
    expect(existsSync(out)).to.equal(false);
  });

  it('counts what a report could not compute', async () => {
    const { cannot } = documentOf((await runCli('dprof', ['-q', '-f', 'json', LENET])).stdout);
    expect(cannot).to.deep.equal([
      {
        what: '20 of 126 kernels with unknown FLOPs',
        why: 'the profile has no arguments of add_ (20)',
        wayOut: 'record them with nsys profile --pytorch=autograd-shapes-nvtx, or emit_nvtx(record_shapes=True)',
        input: null,
      },
    ]);
  });

  /** Arguments, and what cannot be answered, why, and the way out. */
  const lacking: readonly (readonly [string[], string, string, string | null])[] = [
    [['-c', 'idx,counter:x', LENET], 'values of counter:x', 'no kernel has the counter x', null],
    [['--where', 'op==nothing', LENET], 'kernels', 'none of 126 kernels matches --where', null],
    [['--by', 'trace', at('fusions.trace.json')], 'groups by trace', 'no kernel has a call stack', null],
    [['summary', '--step', '1', at('fusions.trace.json')], 'a summary', 'no work in step 1', 'there is step 7'],
    [['-c', 'op', at('decoder.rpd')], '2 of 4 kernels without op', 'no op call around the launch of its graph (2)', 'dprof --explain ID says why'],
    [['critical-path', '--what-if', 'op==nothing: 0.5', TRACE], "'op==nothing: 0.5' changes nothing", 'no kernel matches', null],
    [['steps', '--by', 'range', at('gemm_results.pftrace')], '1 activity in no region', 'not launched during a region', null],
    [['--explain', '9999', LENET], 'numbers of the kernel', 'no kernel 9999', 'see the columns idx and profile'],
    [['steps', at('decoder.rpd')], '1 profile without steps', 'no steps are marked', 'a rocTX range around each step, named "step 1", "step 2", marks them'],
  ]; // prettier-ignore
  for (const [args, what, why, wayOut] of lacking)
    it(`says what it cannot answer, why, and the way out: ${what}`, async () => {
      const { cannot } = documentOf(
        (
          await runCli(
            'dprof',
            args[0]?.startsWith('-') === true ? ['-q', '-f', 'json', ...args] : [...args, '-q', '-f', 'json'],
          )
        ).stdout,
      );
      const parts = cannot.map((entry) => ({ what: entry['what'], why: entry['why'], wayOut: entry['wayOut'] }));
      expect(parts).to.deep.include({ what, why, wayOut });
    });

  it('is complete when its input stops in the middle of a line', async () => {
    const records = (await runCli('dparse', [LENET])).stdout;
    const path = freshPath('jsonl');
    writeFileSync(path, records.slice(0, records.length / 2));
    const { code, stdout } = await runCli('dprof', ['-q', '-f', 'json', path]);
    const { answer, cannot } = documentOf(stdout);
    expect(code).to.equal(1);
    expect(answer.length).to.be.above(20).and.below(126);
    expect(cannot.map(({ why }) => why).join('\n')).to.include('the part before was read');
  });

  it('is complete when a later input cannot be read', async () => {
    const records = (await runCli('dparse', [LENET])).stdout;
    const [good, bad] = [freshPath('jsonl'), freshPath('jsonl')];
    writeFileSync(good, records);
    writeFileSync(bad, '{"type":"profile","v":99,"profile":0}\n');
    const { code, stdout, stderr } = await runCli('dprof', ['-q', '-f', 'json', good, bad]);
    const { answer, cannot } = documentOf(stdout);
    expect(code).to.equal(1);
    // Kernels of the last op call wait for others of it.
    expect(answer.length).to.be.above(100);
    expect(cannot).to.have.length(1);
    expect(cannot[0]?.['what']).to.equal('kernels');
    expect(stderr).to.include(String(cannot[0]?.['why']));
  });

  it('names each kernel as --explain takes it', async () => {
    const { answer } = documentOf((await runCli('dprof', ['-q', '-f', 'json', '-c', 'idx,op', LENET])).stdout);
    expect(answer[2]).to.deep.equal({ idx: 3, op: 'relu', explain: '0:3' });
    const { stdout } = await runCli('dprof', ['--explain', '0:3', LENET]);
    expect(stdout).to.match(/^kernel +0:3 /m);
  });

  for (const path of [LENET, TRACE, at('attention.ntff'), at('decoder.rpd')])
    it(`selects each group with its expression: ${path.slice(ROOT.length + 1)}`, async () => {
      const rows: Annotated[] = [];
      for await (const row of kernels(path)) rows.push(row);
      let selected = 0;
      for (const by of ['op', 'layer,op', 'kernel,dir', 'params,dtype', 'device,stream,step', 'trace', 'tc,grid']) {
        const args = ['-q', '-f', 'json', '--by', by, '--no-tree', '--where', 'sil>0 || sil==0', '-c', 'count', path];
        for (const { where, count } of documentOf((await runCli('dprof', args)).stdout).answer) {
          if (typeof where !== 'string') continue;
          expect(rows.filter(parseWhere(where)).length, where).to.equal(count);
          selected++;
        }
      }
      expect(selected).to.be.above(10);
    });

  interface Selectable {
    readonly name: string;
    readonly count: number;
    readonly time: number;
    readonly untimed?: number;
    readonly where: string | null;
  }
  interface SelectableLists {
    readonly byTime: readonly Selectable[];
    readonly byCount: readonly Selectable[];
    readonly precision: readonly Selectable[];
    readonly work: { readonly bounds: readonly Selectable[] };
  }

  const timeOf = (rows: readonly Annotated[]): number =>
    rows.reduce((sum, { record }) => sum + (durationOf(record) ?? 0), 0);

  for (const paths of [[LENET], [at('attention.ntff')], [at('decoder.rpd')], [LENET, TRACE], [at('ascend_pt')]])
    it(`selects the kernels in lists of a summary: ${paths.map((path) => basename(path)).join(', ')}`, async () => {
      const rows: Annotated[] = [];
      for await (const row of kernels(paths)) rows.push(row);
      let selected = 0;
      const { answer } = documentOf((await runCli('dprof', ['summary', '-q', '-f', 'json', ...paths])).stdout);
      for (const { kernels: lists } of answer as unknown as { kernels: SelectableLists }[])
        for (const entry of [...lists.byTime, ...lists.byCount, ...lists.precision, ...lists.work.bounds]) {
          const { where, count, time, name } = entry;
          expect(where, name).to.be.a('string');
          const chosen = rows.filter(parseWhere(where ?? ''));
          expect(chosen.length, where ?? '').to.equal(count);
          expect(timeOf(chosen), where ?? '').to.be.closeTo(time, 1e-3);
          selected++;
        }
      expect(selected).to.be.above(3);
    });

  const BY = ['op,layer', 'kernel', 'op,dir,params', 'trace'];
  const within = ['--where', 'sil>3000 || dir==bprop'];
  for (const [base, next] of [
    [LENET, TRACE],
    [at('ascend_pt'), at('ascend_pytorch_profiler_0.db')],
  ] as const)
    it(`selects the kernels of rows of a comparison: ${basename(base)}`, async () => {
      const sides: Record<'base' | 'new', Annotated[]> = { base: [], new: [] };
      for await (const row of kernels(base)) sides.base.push(row);
      for await (const row of kernels(next)) sides.new.push(row);
      let selected = 0;
      for (const by of BY)
        for (const options of [[], [...within, '--fail-if', 'kernel~ELEM>900%']]) {
          const args = ['diff', '-q', '-f', 'json', '--by', by, ...options, base, next];
          const { answer } = documentOf((await runCli('dprof', args)).stdout);
          for (const row of answer) {
            const { where } = row;
            if (typeof where !== 'string') continue;
            for (const which of ['base', 'new'] as const) {
              const chosen = sides[which].filter(parseWhere(where));
              expect(chosen.length, where).to.equal(row[`${which}_count`]);
              expect(timeOf(chosen), where).to.be.closeTo(Number(row[`${which}_time_ns`]), 1e-3);
            }
            selected++;
          }
          const kinds = answer.filter(({ where }) => typeof where === 'string').map(({ row }) => row);
          expect(kinds).to.include.members(options.length === 0 ? ['key'] : ['total', 'key', 'condition']);
        }
      expect(selected).to.be.above(20);
    });

  it('selects with the command that a reader would type', async () => {
    const { answer } = documentOf((await runCli('dprof', ['summary', '-q', '-f', 'json', LENET])).stdout);
    const [first] = (answer[0]?.['kernels'] as SelectableLists | undefined)?.byTime ?? [];
    const args = ['-q', '-f', 'json', '-c', 'sil', '--where', first?.where ?? '', LENET];
    const rows = documentOf((await runCli('dprof', args)).stdout).answer;
    // Counted by hand with grep in the text of the report.
    expect([first?.name, rows.length]).to.deep.equal(['vectorized_elementwise_kernel', 72]);
    expect(rows.reduce((sum, { sil }) => sum + Number(sil), 0)).to.equal(173_684);
  });

  it('has at most the characters of --max-chars, the most important first', async () => {
    const { stdout } = await runCli('dprof', ['summary', '-q', '-f', 'json', '--max-chars', '4000', LENET]);
    expect(stdout.length).to.be.at.most(4000).and.above(3900);
    const { answer, doubts, leftOut } = documentOf(stdout);
    const [{ devices, kernels: work }] = answer as [{ devices: { busy: number }[]; kernels: { byTime: object[] } }];
    expect(devices).to.have.length(1);
    expect(devices[0]?.busy).to.equal(551_475);
    expect(work.byTime[0]).to.deep.equal({
      ...{ name: 'vectorized_elementwise_kernel', count: 72, time: 173_684 },
      where: 'kernel=="vectorized_elementwise_kernel"',
    });
    expect(work.byTime).to.have.length.above(4);
    expect(doubts).to.deep.equal([]);
    const { rows, wayOut } = leftOut as { rows: Record<string, number>; wayOut: string };
    expect(Number(rows['answer.kernels.byTime']) + work.byTime.length).to.equal(14);
    const most = /--max-chars (\d+) /.exec(wayOut)?.[1] ?? '';
    const whole = await runCli('dprof', ['summary', '-q', '-f', 'json', '--max-chars', most, LENET]);
    expect(documentOf(whole.stdout).leftOut).to.equal(null);
  });

  it('keeps the device, its times and the longest kernel in 900 characters, and counts what is left out', async () => {
    const args = ['summary', '-q', '-f', 'json', LENET];
    const { stdout } = await runCli('dprof', [...args, '--max-chars', '900']);
    expect(stdout.length).to.be.at.most(900);
    const { answer, leftOut } = documentOf(stdout);
    const [short] = answer as unknown as { devices: object[]; kernels: { byTime: object[] } }[];
    expect(short?.devices).to.have.length(1);
    expect(short?.devices[0]).to.include({ name: 'Tesla V100-SXM2-16GB', busy: 551_475 }).and.include.keys('span', 'idle'); // prettier-ignore
    expect(short?.kernels.byTime[0]).to.include({ name: 'vectorized_elementwise_kernel', time: 173_684 });
    const { keys, moreKeys } = leftOut as { keys: string[]; moreKeys: number };
    // Every key of the whole document that is not there is named or counted.
    const whole = documentOf((await runCli('dprof', args)).stdout).answer[0] ?? {};
    const missing = [...pathsOf(whole, 'answer')].filter((path) => !pathsOf(short ?? {}, 'answer').has(path));
    const outermost = missing.filter((path) => !missing.includes(path.slice(0, path.lastIndexOf('.'))));
    expect(keys.length + moreKeys).to.equal(outermost.length);
    for (const key of keys) expect(outermost).to.include(key);
  });

  it('counts the rows of a report that have no room', async () => {
    const { stdout } = await runCli('dprof', ['-q', '-f', 'json', '-c', 'idx', '--max-chars', '1000', LENET]);
    const { answer, leftOut } = documentOf(stdout);
    expect(answer[0]).to.deep.equal({ idx: 1, explain: '0:1' });
    expect((leftOut as { rows: object }).rows).to.include({ answer: 126 - answer.length });
  });

  it('refuses a limit without room for anything, and one for another format', async () => {
    const large = await runCli('dprof', ['summary', '-q', '-f', 'json', '--max-chars', '1000000000', LENET]);
    expect(large.stderr).to.equal("dprof: --max-chars takes a number of at most 100000000, not '1000000000'\n");
    const short = await runCli('dprof', ['summary', '-q', '-f', 'json', '--max-chars', '20', LENET]);
    expect(short).to.include({ code: 2, stdout: '' });
    expect(short.stderr).to.match(/^dprof: --max-chars 20 is too small: this answer needs at least \d+\n$/);
    const table = await runCli('dprof', ['summary', '--max-chars', '4000', LENET]);
    expect(table.stderr).to.equal('dprof: --max-chars limits the document of -f json (add -f json)\n');
    expect(table.code).to.equal(2);
  });
});
