import { expect } from 'chai';
import fc from 'fast-check';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { memberLines } from '../../src/prof/partial/member-builder.js';
import { freshPath } from '../support/fresh-path.js';
import { NsightDatabase } from '../support/nsight-database.js';
import { propertyRuns } from '../support/property-runs.js';
import { runCli, type Ran } from '../support/run-cli.js';
import { itSlow } from '../support/sets.js';
import { itEachShared, ROOT } from '../support/shared.js';

const SAMPLES = join(ROOT, 'samples');
const NAMES = [
  ...['lenet.pt.trace.json.gz', 'decoder.pt.trace.json.gz', 'lenet.nsys.sqlite', 'transformer.nvprof.sql'],
  ...['ascend_pytorch_profiler_0.db', 'attention.ntff'],
];

/** Every form of every answer that takes partial answers. */
const ANSWERS = [
  ...['summary', 'summary -f jsonl', 'summary -f csv', 'summary -f markdown', 'summary --top 3'],
  ...['steps', 'steps -f jsonl', 'ranks', 'ranks -f jsonl', 'ranks -t steps -f csv'],
  ...['--by op -f jsonl', '--by kernel', '--by layer', '--by layer --depth 1 -f csv', '--by kernel,op,layer -f jsonl'],
  ...['--by rank,kernel --top 3 -f table', '--by op,layer --tree -c count,own,stddev,flops,bytes,known,bw,tcknown'],
  ...['--by op --where op!=na', '--by layer -c total --sort layer --no-header'],
].map((words) => words.split(' '));

const dprof = (args: readonly string[], cwd?: string, input?: string): Promise<Ran> =>
  runCli('dprof', args, { ...(cwd === undefined ? {} : { cwd }), ...(input === undefined ? {} : { input }) });

/** Writes the partial answer of a profile under the profile's own name; returns its folder. */
async function partialOf(folder: string, name: string): Promise<string> {
  const made = freshPath('');
  mkdirSync(made);
  expect(await dprof(['partial', join(folder, name), '-o', join(made, name)])).to.include({ code: 0, stderr: '' });
  return made;
}

/** Without the commands that show more; a partial answer takes only some of them. */
const withoutNext = (ran: Ran): Ran => ({ ...ran, stdout: ran.stdout.replace(/^\n?next: .*\n/gm, '') });

async function expectSameAnswers(folder: string, name: string, answers = ANSWERS): Promise<void> {
  const made = await partialOf(folder, name);
  for (const answer of answers) {
    const ofProfile = await dprof([...answer, name], folder);
    const ofPart = await dprof([...answer, name], made);
    expect(withoutNext(ofPart), `${answer.join(' ')} ${name}`).to.deep.equal(withoutNext(ofProfile));
  }
}

describe('dprof partial', () => {
  for (const [i, name] of NAMES.entries()) {
    // Each form of one of them, some of all.
    const answers = ANSWERS.filter((_, answer) => answer % NAMES.length === i || answer % 5 === 1);
    it(`has the answers of ${name}`, () => expectSameAnswers(SAMPLES, name, answers));
    itSlow(`has all answers of ${name}`, () => expectSameAnswers(SAMPLES, name));
  }

  it('has the comparison of two profiles', async () => {
    const [base = '', next = ''] = NAMES;
    const [a, b] = [await partialOf(SAMPLES, base), await partialOf(SAMPLES, next)];
    for (const options of [[], ['-f', 'jsonl'], ['--by', 'kernel', '--fail-if', 'op:linear>+1%']]) {
      const ofPaths = await dprof(['diff', ...options, join(SAMPLES, base), join(SAMPLES, next)]);
      // Doubts name the file; a partial answer knows only its name.
      const ofProfiles = { ...ofPaths, stdout: ofPaths.stdout.replaceAll(`${SAMPLES}/`, '') };
      expect(await dprof(['diff', ...options, join(a, base), join(b, next)])).to.deep.equal(ofProfiles);
      // One of each kind.
      expect(await dprof(['diff', ...options, join(SAMPLES, base), join(b, next)])).to.deep.equal(ofProfiles);
    }
  });

  it('answers together with profiles and records', async () => {
    const made = await partialOf(SAMPLES, 'lenet.nsys.sqlite');
    const files = [join(SAMPLES, 'lenet.pt.trace.json.gz'), join(SAMPLES, 'lenet.nsys.sqlite')];
    for (const answer of [
      ['--by', 'op,kernel', '-f', 'jsonl'],
      ['steps', '-f', 'csv'],
      ['summary', '-f', 'jsonl'],
    ]) {
      const ofProfiles = await dprof([...answer, ...files]);
      const mixed = await dprof([...answer, files[0] ?? '', join(made, 'lenet.nsys.sqlite')]);
      expect(mixed).to.deep.equal(ofProfiles);
    }
  });

  it('has other columns where they are chosen', async () => {
    const path = freshPath('.part');
    const file = join(SAMPLES, NAMES[0] ?? '');
    await dprof(['partial', '--by', 'dir,op', file, '-o', path]);
    const ofProfile = await dprof(['--by', 'dir', '-f', 'csv', file]);
    expect((await dprof(['--by', 'dir', '-f', 'csv', path])).stdout).to.equal(ofProfile.stdout);
    const { stderr, code } = await dprof(['--by', 'kernel', path]);
    expect(code).to.equal(1);
    expect(stderr).to.match(
      /has no kernel; it has dir, op, profile, rank \(make it with dprof partial --by dir,op,kernel\)\n$/,
    );
  });

  it('keeps what can be read of many, names the rest, and exits with 1', async () => {
    const path = freshPath('.part');
    const [good = ''] = NAMES;
    const broken = freshPath('.json');
    writeFileSync(broken, 'no profile');
    const ran = await dprof(['partial', broken, 'nowhere.json', join(SAMPLES, good), '-o', path]);
    expect(ran).to.include({ code: 1, stdout: '' });
    expect(ran.stderr).to.match(/^dprof: .*\.json.*\ndprof: nowhere\.json: no such file\n$/);
    expect(readFileSync(path, 'utf8')).to.equal((await dprof(['partial', join(SAMPLES, good)])).stdout);
    const none = freshPath('.part');
    expect((await dprof(['partial', broken, '-o', none])).code).to.equal(1);
    expect(existsSync(none)).to.equal(false);
  });

  it('says of a profile that was cut off that it was, as the profile does', async () => {
    const records = (await runCli('dparse', [join(SAMPLES, 'lenet.nsys.sqlite')])).stdout;
    const made = freshPath('.part');
    const cut = records.slice(0, records.lastIndexOf('\n{"type":"end"') - 40);
    const ran = await dprof(['partial', '-o', made], undefined, cut);
    expect(ran).to.include({ code: 1 });
    expect(ran.stderr).to.match(/^dprof: stdin:\d+: broken record: it is cut off; the part before was read/);
    const answer = await dprof(['--by', 'op', made]);
    expect(answer.code).to.equal(1);
    expect(answer.stderr).to.include('the profile is cut off; the part before was read');
    expect(answer.stdout).to.equal((await dprof(['--by', 'op'], undefined, cut)).stdout);
    // What was there is worth more.
    const refused = await dprof(['partial', '-o', made], undefined, cut);
    expect(refused.stderr).to.include('is unchanged');
  });

  it('is refused by what needs single kernels, in one line', async () => {
    const path = freshPath('.part');
    await dprof(['partial', join(SAMPLES, 'lenet.nsys.sqlite'), '-o', path]);
    const others = [
      ...[[], ['html'], ['stacks'], ['memory'], ['perfetto'], ['advise'], ['partial'], ['--explain', '3']],
      ...[
        ['--by', 'range'],
        ['--by', 'op', '-c', 'passes'],
        ['--by', 'op', '--peaks', 'H100 SXM'],
      ],
      ...[
        ['summary', '--peaks', 'H100 SXM'],
        ['summary', '--vendor-metrics'],
      ],
    ];
    for (const args of others) {
      const ran = await dprof([...args, path]);
      expect(ran, args.join(' ')).to.include({ code: 1, stdout: '' });
      expect(ran.stderr).to.match(/: is a dprof partial file, which has no individual kernels \(.*profile\)\n$/);
    }
    const diff = await dprof(['diff', '--peaks', 'H100 SXM', path, path]);
    expect(diff.stderr).to.match(/: is a dprof partial file/);
  });

  it('says what it cannot add up', async () => {
    const answers = [
      ['neuron-monitor.jsonl', /: neuron-monitor reports are not a profile \(dprof monitor FILE\)\n$/],
      ['neuron-summary.json', /: has only vendor metrics \(dprof summary --vendor-metrics\)\n$/],
    ] as const;
    for (const [name, answer] of answers) {
      const ran = await dprof(['partial', join(SAMPLES, name)]);
      expect(ran).to.include({ code: 1, stdout: '' });
      expect(ran.stderr).to.match(answer);
    }
    const dict = await dprof(['partial'], undefined, "{'kShortName': 'k', 'kDuration': 5, 'device': 0}\n");
    expect(dict.stderr).to.match(/^dprof: stdin: records without a profile line \(/);
  });

  itEachShared(
    ['data/nsys/cuda_graph_rtx3060.sqlite'],
    ['data/kineto/h100_bert_small.json.gz', 'data/pyprof/nsys_1000.sqlite'],
    (name) => `has the answers of ${name.replace('data/', '')}`,
    (path) => expectSameAnswers(dirname(path), basename(path)),
  );
});

describe('dprof merge', () => {
  /** Partial answers of one profile each, and of all in one pass. */
  let parts: string[] = [];
  let all = '';
  let whole = '';

  before(async () => {
    parts = NAMES.map(() => freshPath('.part'));
    for (const [i, name] of NAMES.entries()) await dprof(['partial', join(SAMPLES, name), '-o', parts[i] ?? '']);
    all = freshPath('.part');
    await dprof(['partial', ...NAMES.map((name) => join(SAMPLES, name)), '-o', all]);
    whole = readFileSync(all, 'utf8');
  });

  const merge = async (...files: readonly string[]): Promise<string> => {
    const path = freshPath('.part');
    expect(await dprof(['merge', ...files, '-o', path])).to.deep.include({ code: 0, stderr: '', stdout: '' });
    return path;
  };

  it('gives the same bytes for any split, order and tree of merges', async () => {
    // A part may be in several files: merging is idempotent.
    const tree = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 0, 3], { minLength: 8 });
    await fc.assert(
      fc.asyncProperty(tree, fc.array(fc.nat(100), { minLength: 1, maxLength: 5 }), async (order, cuts) => {
        let files = order.map((i) => parts[i] ?? '');
        for (const cut of cuts) {
          if (files.length < 3) break;
          const at = cut % (files.length - 1);
          const size = 1 + (cut % 3);
          files = [...files.slice(0, at), await merge(...files.slice(at, at + size)), ...files.slice(at + size)];
        }
        expect(readFileSync(await merge(...files), 'utf8')).to.equal(whole);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('gives the bytes of one pass over the profiles, whatever their order', async () => {
    const order = [...NAMES].reverse().map((name) => join(SAMPLES, name));
    expect((await dprof(['partial', ...order])).stdout).to.equal(whole);
    const some = await merge(all, parts[2] ?? '', all);
    expect(readFileSync(some, 'utf8')).to.equal(whole);
  });

  it('has a partial answer without members as its identity', async () => {
    const none = freshPath('.part');
    writeFileSync(none, '{"type":"partial","v":2,"members":0}\n');
    expect(readFileSync(await merge(none), 'utf8')).to.equal(readFileSync(none, 'utf8'));
    expect(readFileSync(await merge(none, all, none), 'utf8')).to.equal(whole);
    expect(await dprof(['--by', 'op', none, all])).to.deep.equal(await dprof(['--by', 'op', all, none]));
    expect((await dprof(['--by', 'op', none])).stderr).to.match(/: no kernels/);
  });

  it('reads compressed files and stdin, and writes to stdout', async () => {
    const packed = freshPath('.part.gz');
    writeFileSync(packed, gzipSync(readFileSync(parts[0] ?? '')));
    const input = parts.slice(1).map((path) => readFileSync(path, 'utf8'));
    const ran = await dprof(['merge', packed, '-'], undefined, input.join(''));
    expect(ran).to.deep.include({ code: 0, stderr: '', stdout: whole });
  });

  it('keeps the members of one rank that differ, and ranks says whether they are of one run', async () => {
    const [, head = '', ...lines] = readFileSync(parts[0] ?? '', 'utf8')
      .trimEnd()
      .split('\n');
    const other = head.replace(/"part":\{[^}]*\},/, '').replace('"file":"', '"file":"again-');
    const path = freshPath('.part');
    for (const isCopy of [true, false]) {
      const own = isCopy ? lines : lines.map((line) => line.replace(/"content":"\w+"/, '"content":"other"'));
      writeFileSync(path, memberLines(other, own).join('\n'));
      const both = await merge(path, parts[0] ?? '');
      expect(readFileSync(both, 'utf8')).to.match(/^\{"type":"partial","v":2,"members":2\}\n/);
      const { stdout, stderr } = await dprof(['ranks', both]);
      if (isCopy) expect(stdout).to.match(/^ {2}copy +\S+ is a copy of \S+ \(rank 0\): left out$/m);
      else expect(stderr).to.match(/1 rank with several profiles/);
    }
  });

  it('says of each bad file in one line what it is, and leaves nothing behind', async () => {
    const text = readFileSync(parts[0] ?? '', 'utf8');
    const bad = [
      [
        text.replace('"v":2', '"v":3'),
        /:1: unsupported dprof partial version 3 \(this dprof reads version 2; update it\)/,
      ],
      [
        text.replace('"v":2', '"v":1'),
        /:1: unsupported dprof partial version 1 \(its figures follow older rules than version 2; write it again with dprof partial\)/,
      ],
      [text.replace('"part":{"v":2', '"part":{"v":1'), /:2: unsupported dprof partial version 1 \(/],
      [text.replace('"count":', '"count":1'), /:2: .* does not match its id: damaged or edited \(write it again/],
      [text.replace('"rank":0', '"rank":1'), /:2: .* does not match its id/],
      [text.replace(/"part":\{"v":2/, '"part": {"v":2'), /:2: a line outside any member|is no/],
      [text.slice(0, text.length / 2), /: the partial answer is cut off/],
      [text.slice(0, 25), /: broken record: it is cut off/],
      ['', /: is empty/],
      [readFileSync(join(SAMPLES, 'lenet.nsys.sqlite')), /: is not a dprof partial file \(make one with dprof partial/],
    ] as const;
    for (const [content, answer] of bad) {
      const [path, out] = [freshPath('.part'), freshPath('.part')];
      writeFileSync(path, content);
      const ran = await dprof(['merge', parts[1] ?? '', path, '-o', out]);
      expect(ran.stderr)
        .to.match(/^dprof: [^\n]*\n$/)
        .and.match(answer);
      expect(ran.code).to.equal(1);
      // Of what is cut off the whole members are used.
      expect(existsSync(out)).to.equal(/cut off/.test(ran.stderr));
      if (typeof content !== 'string') continue;
      const summary = await dprof(['summary', path]);
      expect(summary).to.include({ code: 1, stdout: '' });
      expect(summary.stderr)
        .to.match(/^dprof: [^\n]*\n$/)
        .and.match(content === '' ? /is empty/ : answer);
    }
  });

  it('notices that members are missing between others', async () => {
    const path = freshPath('.part');
    const end = whole.indexOf('\n{"type":"profile"', whole.indexOf('{"type":"end"'));
    writeFileSync(path, whole.slice(0, end + 1));
    const out = freshPath('.part');
    for (const args of [['merge', '-o', out], ['steps']]) {
      const ran = await dprof([...args, path]);
      expect(ran.code).to.equal(1);
      expect(ran.stderr).to.match(
        /: the partial answer is cut off: 5 of 6 members are missing; the part before was read/,
      );
    }
  });

  it('refuses to write onto one of its inputs', async () => {
    const [first = '', second = ''] = parts;
    const ran = await dprof(['merge', first, second, '-o', second]);
    expect(ran).to.include({ code: 1 });
    expect(ran.stderr).to.match(/: is the input \(choose another name for -o\)\n$/);
  });

  itSlow('takes a thousand files', async () => {
    const one = (await dprof(['partial', new NsightDatabase().launch(1, ['layer:a']).write()])).stdout;
    const [, head = '', ...lines] = one.trimEnd().split('\n');
    const files = Array.from({ length: 1000 }, (_, rank) => {
      const path = freshPath('.part');
      const own = head.replace(/"part":\{[^}]*\},/, '').replace(/"rank":(?:null|\d+)/, `"rank":${rank}`);
      writeFileSync(path, `${memberLines(own, lines).join('\n')}\n`);
      return path;
    });
    const job = await merge(...files);
    const { stdout } = await dprof(['--by', 'rank', '-c', 'rank,count', '--sort', '+rank', '--csv', job]);
    expect(stdout.trimEnd().split('\n').length).to.equal(1001);
    expect(readFileSync(await merge(...[...files].reverse()), 'utf8')).to.equal(readFileSync(job, 'utf8'));
  });
});
