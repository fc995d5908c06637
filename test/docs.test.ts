/** The pages agree with the code: generated ones are what would be generated, hand-written ones name what there is. */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { countsOf } from '../docs/differences/counts.js';
import { readProbes } from '../docs/differences/probe.js';
import {
  exampleEnvironment,
  examplePages,
  examplesIn,
  programCommand,
  programsIn,
  toolsFolder,
} from '../docs/examples.js';
import { COUNTS, PAGES } from '../docs/generate.js';
import { LOADED } from '../docs/pages/manuals.js';
import { escape } from '../docs/pages/troff.js';
import { DPARSE } from '../src/cli/dparse/options.js';
import { REDACT } from '../src/cli/dparse/redact-command.js';
import { DPROF } from '../src/cli/report/report-options.js';
import { ended } from './support/ended.js';
import { commandOf, runCli, type ToolName } from './support/run-cli.js';
import { itShared, ROOT } from './support/shared.js';
import { itWithProcess } from './support/sets.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const { scripts, version, man } = JSON.parse(read('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly version: string;
  readonly man: readonly string[];
};

describe('generated pages', () => {
  for (const [path, make] of Object.entries(PAGES)) {
    it(`${path} is what npm run docs writes`, () => {
      expect(make(read(COUNTS)) === read(path), 'not up to date: npm run docs').to.equal(true);
    });
  }

  const PROBES = ['data/pyprof/probe.pyprof2.jsonl', 'data/pyprof/probe.nvidia.jsonl'];
  itShared('the counts of the differences are those of the probes', PROBES, ([pyprof2 = '', nvidia = '']) => {
    const counts = countsOf(readProbes(readFileSync(pyprof2, 'utf8'), readFileSync(nvidia, 'utf8')));
    expect(JSON.parse(counts), 'npm run docs -- --probes FILE FILE').to.deep.equal(JSON.parse(read(COUNTS)));
  });

  it('manual pages are ASCII and have every option, escaped for troff', () => {
    const pages = Object.keys(PAGES).filter((path) => path.endsWith('.1'));
    expect(pages).to.have.members(man);
    for (const [path, tool] of [
      ['man/dparse.1', DPARSE],
      ['man/dprof.1', DPROF],
      ...LOADED.map(([name, , { tool }]) => [`man/dprof-${name}.1`, tool] as const),
    ] as const) {
      const text = read(path);
      expect(text).to.match(/^[\n -~]*$/);
      expect(text).to.include('\n.SH EXAMPLES\n');
      for (const { name } of tool.options) expect(text).to.include(`\\fB\\-\\-${name.replaceAll('-', '\\-')}\\fR`);
    }
  });

  it('troff has a name for the characters that mean something to it, and refuses what it cannot show', () => {
    expect(escape("a-b \\ '~' → x²y".replace('²', ''))).to.equal('a\\-b \\e \\(aq\\(ti\\(aq \\(-> xy');
    expect(() => escape('²')).to.throw('no name for the character ²');
  });
});

/** Interfaces of record.ts with the names of their own fields. */
const recordFields = (): [type: string, field: string][] =>
  [...read('src/record/record.ts').matchAll(/^export interface (\w+)[^{]*\{\n(.*?)^\}/gms)].flatMap(
    ([, type = '', body = '']) =>
      [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field = '']): [string, string] => [type, field]),
  );

describe('docs/record.md', () => {
  it('has every record type and every field', () => {
    const page = read('docs/record.md');
    const fields = recordFields();
    expect(fields).to.have.length.above(60);
    for (const [type, field] of fields) expect(page, `${type}.${field}`).to.match(new RegExp(`[\`{ ]${field}[\`,}]`));
    for (const [, type] of read('src/record/record.ts').matchAll(/readonly type: '(\w+)'/g)) {
      expect(page).to.match(new RegExp(`^## .*\`${String(type)}\``, 'm'));
    }
  });
});

/** What links to the headings of a page are called, as GitHub makes them. */
const anchorsOf = (page: string): string[] =>
  [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

const MARKDOWN = [
  ...examplePages(ROOT),
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'samples/README.md',
  'docs/record.md',
  'docs/neuron-instructions.md',
  ...Object.keys(PAGES),
];

describe('hand-written pages', () => {
  for (const path of MARKDOWN) {
    it(`${path} links to files and headings that exist`, () => {
      for (const [, file = '', anchor = ''] of read(path).matchAll(/\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)/g)) {
        const target = file === '' ? path : join(dirname(path), file);
        expect(existsSync(join(ROOT, target)), target).to.equal(true);
        if (anchor !== '') expect(anchorsOf(read(target)), target).to.include(anchor);
      }
    });
  }

  it('CONTRIBUTING names files and scripts that exist', () => {
    const text = read('CONTRIBUTING.md');
    const paths = [...text.matchAll(/`((?:src|test|docs|samples|bench)\/[\w./-]*)`/g)].map(([, path = '']) => path);
    const named = paths.filter((path) => !/[A-Z]{2}/.test(path.replace('README', '')));
    expect(named).to.have.length.above(15);
    for (const path of named) expect(existsSync(join(ROOT, path)), path).to.equal(true);
    for (const [, script = ''] of text.matchAll(/npm run ([\w:-]*\w)/g)) expect(scripts).to.have.property(script);
  });

  it('CONTRIBUTING walks through functions that exist, file by file', () => {
    const [, walks = ''] = /\n## Walks\n([^]*?)\n## /.exec(read('CONTRIBUTING.md')) ?? [];
    const steps = [...walks.matchAll(/^\d+\. `([\w./-]+)` `([\w.#]+)`/gm)].map(([, path = '', name = '']) => ({
      path,
      name,
    }));
    expect(walks.match(/^\d+\. /gm)).to.have.length(steps.length);
    expect(steps).to.have.length.above(20);
    for (const { path, name } of steps) {
      const [method = '', owner] = name.split('.').reverse();
      const text = read(path);
      if (owner !== undefined) expect(text, path).to.match(new RegExp(`^(export )?class ${owner}\\b`, 'm'));
      // A definition, not a mere mention.
      const definition = `\\b(function\\*?|class|const) ${method}\\b|^ +(async )?\\*?${method}(<.*>)?\\(`;
      expect(text, `${path}: ${name}`).to.match(new RegExp(definition, 'm'));
    }
  });

  it('CHANGELOG has the version', () => {
    expect(read('CHANGELOG.md')).to.include(`\n## ${version} - `);
  });
});

interface ToolRun {
  readonly tool: ToolName;
  readonly args: readonly string[];
}

/** A word as shells read it: quoted pieces, and characters that mean themselves. */
const WORD = /(?:'[^']*'|"[^"$`\\]*"|[\w.,:=/@%+*-])+/;
const OUR_RUN = new RegExp(`^(dparse|dprof)((?: +${WORD.source})*) *(?:\\| *|$)`);

/** Paths that a pattern stands for, which has stars in the name of the file alone. */
function filesLike(pattern: string): string[] {
  const [folder, name] = [dirname(pattern), basename(pattern)];
  const like = new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  const names = readdirSync(join(ROOT, folder)).filter((each) => like.test(each));
  return names.sort().map((each) => join(folder, each));
}

/** The runs of our tools that a pipeline begins with, and what comes after them. */
function leadingRuns(command: string): { readonly runs: readonly ToolRun[]; readonly rest: string } {
  const runs: ToolRun[] = [];
  let rest = command;
  for (let found; (found = OUR_RUN.exec(rest)) !== null; rest = rest.slice(found[0].length)) {
    const words = (found[2] ?? '').match(new RegExp(WORD, 'g')) ?? [];
    const args = words.flatMap((word) =>
      /^[^'"]*\*/.test(word) ? filesLike(word) : [word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2')],
    );
    runs.push({ tool: found[1] as ToolName, args });
  }
  return { runs, rest };
}

/** Pages whose console blocks are run. */
const EXAMPLE_PAGES = examplePages(ROOT);

describe('examples', () => {
  let folder = '';
  before(() => {
    folder = toolsFolder((tool) => [process.execPath, ...commandOf(tool)]);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  /** What a shell command prints, with both tools on the PATH. */
  async function shell(command: string, input = ''): Promise<string> {
    const child = spawn('sh', ['-c', command], { cwd: ROOT, env: exampleEnvironment(folder) });
    // Such as head, which has seen enough.
    child.stdin.on('error', () => undefined).end(input);
    return (await ended(child)).stdout;
  }

  /** What a command prints: our own tools in this process, and what they are piped to in a shell. */
  async function printed(command: string): Promise<string> {
    const { runs, rest } = leadingRuns(command);
    if (runs.length === 0) return shell(command);
    let output = '';
    for (const { tool, args } of runs) {
      output = (await runCli(tool, args, { input: output, env: { LC_ALL: 'C' } })).stdout;
    }
    return rest === '' ? output : shell(rest, output);
  }

  it('are in the README and in the guides', () => {
    expect(examplesIn(read('README.md'))).to.have.length.within(4, 8);
    expect(EXAMPLE_PAGES.flatMap((path) => examplesIn(read(path)))).to.have.length.above(12);
  });

  for (const path of EXAMPLE_PAGES) {
    for (const { command, output } of examplesIn(read(path))) {
      itWithProcess(`of ${path} print what they show: ${command}`, async () => {
        expect(await printed(command), 'npm run docs examples').to.equal(output);
      });
    }
  }

  it('of the README begin with an answer to any profile, and have no line wider than 160 characters', () => {
    const examples = examplesIn(read('README.md'));
    expect(examples[0]?.command).to.match(/^dprof summary /);
    for (const line of examples.flatMap(({ output }) => output.split('\n'))) expect(line.length).to.be.at.most(160);
  });

  it('have only options that exist, and scripts that exist', () => {
    const tools = [DPARSE, REDACT, DPROF, ...LOADED.map(([, , { tool }]) => tool)];
    const known = tools.flatMap(({ options }) => options).flatMap(({ name }) => [`--${name}`, `--no-${name}`]);
    // nsys, ncu, nvprof, rocprof, rocprofv3, msprof, torchrun, vLLM, SGLang, neuron-explorer, sbatch, npm
    const foreign = (
      '--trace --pytorch --cuda-memory-usage --cuda-graph-trace --cpuctxsw --include-blobs --sample --type ' +
      '--capture-range-end --gpu-metrics-devices --trace-fork-before-exec --profile-from-start --csv --page --metrics --query-metrics --chips ' +
      '--kernel-trace --sys-trace --hip-trace --output-format --output-file --output --nproc-per-node --no-python --profiler-config --profile ' +
      '--enforce-eager --enable-expert-parallel --enable-eplb --eplb-config --disable-cuda-graph --cli-input-json --model-path --partition --for --account --mem --package'
    ).split(' ');
    const text = EXAMPLE_PAGES.map(read).join('\n');
    for (const [option] of text.matchAll(/(?<![\w-])--[a-z][\w-]*/g)) expect([...known, ...foreign]).to.include(option);
    for (const [, script = ''] of text.matchAll(/npm run (?:-s )?([\w:-]*\w)/g))
      expect(scripts).to.have.property(script);
  });

  for (const { code, output } of programsIn(read('docs/guide/library.md'))) {
    const imports = /^import .*/.exec(code)?.[0] ?? '';
    itWithProcess(`of the library print what they show: ${imports}`, async () => {
      expect(await shell(programCommand(ROOT, folder, code)), 'npm run docs examples').to.equal(output);
      expect(output).to.not.equal('');
    });
  }

  /** Commands of the steps with a name in the workflows of the guide. */
  const stepsNamed = (name: string): string[] =>
    [
      ...read('docs/guide/gate-a-build.md').matchAll(
        /- name: (\w+)\n(?: {8}if: .*\n)? +run: (?:\|\n((?: {10}.*\n)+)|(.*))/g,
      ),
    ]
      .filter(([, step]) => step === name)
      .map(([, , lines, line]) => lines ?? line ?? '');

  async function runSteps(steps: string | undefined, work: string): Promise<number | null> {
    const env = { ...exampleEnvironment(folder), GITHUB_STEP_SUMMARY: join(work, 'summary.md') };
    const { code } = await ended(spawn('sh', ['-e', '-c', steps ?? 'exit 99'], { cwd: work, env }));
    return code;
  }

  const copyProfile = (sample: string, work: string, name: string): void =>
    copyFileSync(join(ROOT, `samples/job/${sample}.pt.trace.json.gz`), join(work, `${name}.pt.trace.json.gz`));

  for (const [change, inputs, code] of [
    ['a slower layer', ['rank_0', 'rank_2'], 1],
    ['too few steps for a verdict', ['rank_0', 'rank_1'], 3],
  ] as const) {
    itWithProcess(`of the workflow end with ${String(code)} for ${change}`, async () => {
      const work = mkdtempSync(join(tmpdir(), 'dprof-gate-'));
      copyProfile(inputs[0], work, 'base');
      copyProfile(inputs[1], work, 'new');
      expect(await runSteps(stepsNamed('Compare')[0], work)).to.equal(code);
      expect(readFileSync(join(work, 'diff.xml'), 'utf8')).to.include(code === 1 ? '<failure' : '<error');
      expect(readFileSync(join(work, 'summary.md'), 'utf8')).to.include('| op | layer | verdict |');
      rmSync(work, { recursive: true });
    });
  }

  itWithProcess('of the workflow with a baseline save it, and end with 1 for a slower layer', async () => {
    const work = mkdtempSync(join(tmpdir(), 'dprof-gate-'));
    copyProfile('rank_0', work, 'new');
    expect(await runSteps(stepsNamed('Save')[0], work)).to.equal(0);
    copyProfile('rank_2', work, 'new');
    expect(await runSteps(stepsNamed('Compare')[1], work)).to.equal(1);
    expect(readFileSync(join(work, 'diff.xml'), 'utf8')).to.include('<failure');
    rmSync(work, { recursive: true });
  });

  it('of the library are as many as its programs', () => {
    const page = read('docs/guide/library.md');
    expect(programsIn(page))
      .to.have.length(page.split('```js\n').length - 1)
      .above(2);
  });
});

it('README is read in minutes', () => {
  expect(read('README.md').split('\n')).to.have.length.below(165);
});
