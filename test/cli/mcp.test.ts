/** `dprof mcp` with the client of the SDK: the tools, their answers, hostile calls, and how the server ends. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { COMMANDS } from '../../src/cli/commands.js';
import { describeSql } from '../support/duckdb.js';
import { freshPath } from '../support/fresh-path.js';
import { commandOf, runCli } from '../support/run-cli.js';
import { describeWithProcess, itLong } from '../support/sets.js';
import { ROOT } from '../support/shared.js';

const SAMPLES = join(ROOT, 'samples');
const LENET = 'lenet.pt.trace.json.gz';
const SECRET = 'do-not-show-this';

/** A folder with temporary files of the server, empty when it leaves nothing. */
const TMPDIR = freshPath('-temporary');

/** What is left in it; not the cache of the loader with which tests run from sources. */
const temporaryFiles = (): string[] => readdirSync(TMPDIR).filter((name) => !name.startsWith('tsx-'));

interface Answered {
  readonly text: string;
  readonly isError: boolean;
}

/** A server and its client. */
class Session {
  private constructor(
    readonly client: Client,
    readonly transport: StdioClientTransport,
  ) {}

  static async open(...args: readonly string[]): Promise<Session> {
    mkdirSync(TMPDIR, { recursive: true });
    const env = { PATH: process.env['PATH'] ?? '', TMPDIR };
    const transport = new StdioClientTransport({ command: process.execPath, args: [...commandOf('dprof'), 'mcp', ...args], cwd: SAMPLES, env }); // prettier-ignore
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    return new Session(client, transport);
  }

  async call(name: string, given: Readonly<Record<string, unknown>>): Promise<Answered> {
    const { content, isError } = await this.client.callTool({ name, arguments: given });
    return { text: (content as readonly { text: string }[])[0]?.text ?? '', isError: isError === true };
  }
}

/** A call of a tool, and the words of the command with the same answer, without the options that each has. */
interface Pair {
  readonly given: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
}

const PAIRS: Readonly<Record<string, Pair>> = {
  check: { given: {}, words: ['check'] },
  summary: { given: { top: 2 }, words: ['summary', '--top=2'] },
  advise: {
    given: { rule: 'fp32-product', min_share: 0.5 },
    words: ['advise', '--rule=fp32-product', '--min-share=0.5'],
  },
  kernels: {
    given: { by: 'op', cols: 'op,count,total', sort: '-count', top: 3 },
    words: ['--by=op', '--cols=op,count,total', '--sort=-count', '--top=3'],
  },
  explain: { given: { explain: '0:75' }, words: ['--explain=0:75'] },
  steps: { given: { step: '3' }, words: ['steps', '--step=3'] },
  critical_path: {
    given: { what_if: ['op==mm: 0.5', 'launch: 0'] },
    words: ['critical-path', '--what-if=op==mm: 0.5', '--what-if=launch: 0'],
  },
  ranks: { given: { profiles: ['job'] }, words: ['ranks', 'job'] },
  memory: { given: { profiles: ['ascend_pt'] }, words: ['memory', 'ascend_pt'] },
  overlap: { given: { by: 'category' }, words: ['overlap', '--by=category'] },
  sequences: { given: { kernels: 3 }, words: ['sequences', '--kernels=3'] },
  queues: { given: { device: '0' }, words: ['queues', '--device=0'] },
  diff: {
    given: { profiles: [LENET, 'job/rank_0.pt.trace.json.gz'], by: 'kernel' },
    words: ['diff', '--by=kernel', LENET, 'job/rank_0.pt.trace.json.gz'],
  },
};

/** Those that differ in kind: a command, the report without one, an explanation, a list of conditions, folders, several profiles. */
const SAMPLED: ReadonlySet<string> = new Set(['advise', 'kernels', 'explain', 'critical_path', 'ranks', 'diff']);

/** Bytes of all files in a folder of the samples. */
const bytesIn = (folder: string): number =>
  readdirSync(join(SAMPLES, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

const bytesOf = (files: readonly { readonly path: string }[]): number =>
  files.reduce((sum, { path }) => sum + statSync(join(SAMPLES, path)).size, 0);

/** What the command prints. */
async function printed({ words }: Pair): Promise<string> {
  const [first = ''] = words;
  const command = Object.hasOwn(COMMANDS, first) ? [first] : [];
  const others = words.slice(command.length);
  const options = others.filter((word) => word.startsWith('--'));
  const files = others.filter((word) => !word.startsWith('--'));
  const args = [
    ...command,
    '-f',
    'json',
    '--max-chars=4000',
    '--quiet',
    ...options,
    '--',
    ...(files.length === 0 ? [LENET] : files),
  ];
  const { stdout } = await runCli('dprof', args, { cwd: SAMPLES });
  // Calls have an input in place of the option.
  return stdout.replace('"--max-chars ', '"max_chars ');
}

describeWithProcess('dprof mcp', () => {
  let session: Session;
  before(async () => {
    session = await Session.open();
  });
  after(() => session.client.close());

  it('lists tools that only read, with a schema for each input', async () => {
    const { tools } = await session.client.listTools();
    expect(tools.map(({ name }) => name)).to.include.members(['list', ...Object.keys(PAIRS)]);
    for (const { name, inputSchema, annotations, description } of tools) {
      expect(annotations, name).to.include({ readOnlyHint: true, destructiveHint: false, openWorldHint: false });
      expect(description, name).to.match(/\w/);
      expect(inputSchema['additionalProperties'], name).to.equal(false);
      for (const option of ['output', 'neff', 'ncu', 'capture', 'baseline', 'save_baseline'])
        expect(inputSchema.properties, name).not.to.have.property(option);
    }
  });

  async function expectProfiles(listed: readonly { readonly path: string }[]): Promise<void> {
    for (const { path } of listed) {
      const { isError, text: answer } = await session.call('check', { profiles: [path], max_chars: 500 });
      expect(isError, `${path}: ${answer}`).to.equal(false);
    }
  }

  itLong('lists profiles alone', async () => {
    const { text } = await session.call('list', { max_chars: 40_000 });
    const { answer } = JSON.parse(text) as { readonly answer: readonly { readonly path: string }[] };
    expect(answer).to.have.length.above(20);
    await expectProfiles(answer);
  });

  it('lists the profiles, by content', async () => {
    const { text } = await session.call('list', { folder: 'job' });
    const { answer, leftOut } = JSON.parse(text) as { answer: { path: string; format: string }[]; leftOut: null };
    const ranks = [0, 1, 2, 3].map((rank) => ({ path: `job/rank_${rank}.pt.trace.json.gz`, format: 'kineto' }));
    expect(answer.map(({ path, format }) => ({ path, format }))).to.deep.equal(ranks);
    expect(leftOut).to.equal(null);
    const { text: whole } = await session.call('list', { max_chars: 40_000 });
    const all = (JSON.parse(whole) as { answer: { path: string; format: string; profiles: number; bytes: number }[] })
      .answer;
    const entry = (path: string) => all.filter((row) => row.path === path || row.path.startsWith(`${path}/`));
    expect(entry('job')).to.deep.include.members([
      { path: 'job', format: 'kineto', profiles: 4, bytes: bytesOf(ranks) },
    ]);
    for (const [path, format] of [
      ['ascend_pt', 'ascend-text'],
      ['ascend_raw', 'ascend-raw'],
    ] as const)
      // prettier-ignore
      expect(entry(path)).to.deep.equal([{ path, format, bytes: bytesIn(path), profiles: 1 }]);
    expect(entry('job')).to.have.length(1);
    // Each call starts a process.
    await expectProfiles(all.filter((_, at) => at % 3 === 0));
    const { text: short } = await session.call('list', { max_chars: 500 });
    expect(short.length).to.be.at.most(500);
    expect((JSON.parse(short) as { leftOut: { rows: { answer: number } } }).leftOut.rows.answer).to.be.greaterThan(10);
  });

  for (const [name, pair] of Object.entries(PAIRS))
    (SAMPLED.has(name) ? it : itLong)(`answers as the command does: ${name}`, async () => {
      const { text, isError } = await session.call(name, { profiles: [LENET], ...pair.given });
      expect(isError, text).to.equal(false);
      expect(text).to.equal(await printed(pair));
      expect(text.length).to.be.within(20, 4000);
    });

  it('limits the characters of an answer', async () => {
    const { text } = await session.call('summary', { profiles: [LENET], max_chars: 1000 });
    expect(text.length).to.be.at.most(1000);
    expect(JSON.parse(text)).to.include.keys('answer', 'leftOut');
  });

  it('has a way out that a call can take', async () => {
    const wayOutOf = async (given: Readonly<Record<string, unknown>>): Promise<string> => {
      const { text } = await session.call('kernels', { profiles: ['job'], ...given });
      expect(text.length).to.be.at.most(given['max_chars'] as number);
      return (JSON.parse(text) as { leftOut: { wayOut: string } }).leftOut.wayOut;
    };
    // 2,040 kernels take more characters than a call may ask for.
    expect(await wayOutOf({ max_chars: 1000 })).to.equal('ask for a part: top, step, where …');
    const wayOut = await wayOutOf({ max_chars: 1000, top: 30, sort: 'sil' });
    const length = Number(/^max_chars (\d+) leaves nothing out$/.exec(wayOut)?.[1]);
    const { text } = await session.call('kernels', { profiles: ['job'], max_chars: length, top: 30, sort: 'sil' });
    expect((JSON.parse(text) as { leftOut: unknown }).leftOut).to.equal(null);
  });

  it('has the error of the command', async () => {
    const { text, isError } = await session.call('kernels', { profiles: [LENET], by: 'opp' });
    expect({ text, isError }).to.deep.equal({ isError: true, text: "dprof: unknown column 'opp' (did you mean op?)" });
  });

  describeSql('queries', () => {
    it('reads', async () => {
      const { text } = await session.call('sql', { profiles: [LENET], query: 'SELECT count(*) AS n FROM kernel' });
      expect((JSON.parse(text) as { answer: unknown }).answer).to.deep.equal([{ n: 92 }]);
      const { text: tables } = await session.call('sql_tables', { max_chars: 40_000 });
      expect(tables).to.include('"kernel"');
    });

    const file = freshPath('.csv');
    /** One that writes, and one that reads a file. sql-security.test.ts has all ways, for the command that this tool runs. */
    const refused = [
      `COPY (SELECT * FROM kernel) TO '${file}'`,
      `SELECT * FROM read_csv('${join(ROOT, 'package.json')}')`,
    ];
    const alsoRefused = [
      `ATTACH '${file}' AS other`,
      'INSTALL httpfs',
      'LOAD httpfs',
      'CREATE TABLE t AS SELECT 1',
      'DELETE FROM kernel',
      `SELECT 1; COPY (SELECT 1) TO '${file}'`,
      'SET enable_external_access = true',
    ];
    for (const query of [...refused, ...alsoRefused])
      (refused.includes(query) ? it : itLong)(`refuses ${query.replace(/'[^']*\//g, "'")}`, async () => {
        const { text, isError } = await session.call('sql', { profiles: [LENET], query });
        expect(isError, text).to.equal(true);
        expect(readdirSync(join(file, '..'))).not.to.include(basename(file));
      });

    it('does not say whether a file exists', async () => {
      const { text } = await session.call('sql', { profiles: [LENET], query: join(ROOT, 'package.json') });
      expect(text).to.match(/^query takes a statement of several words/);
    });
  });

  it('leaves no temporary file', () => expect(temporaryFiles()).to.deep.equal([]));
});

/** A root with a profile, names that look like options, and links that leave it. */
function hostileRoot(): string {
  const outside = freshPath('-outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.json'), JSON.stringify({ secret: SECRET }));
  cpSync(join(SAMPLES, LENET), join(outside, LENET));
  const root = freshPath('-root');
  for (const folder of ['linked', 'folder/deep', 'plain', 'around']) mkdirSync(join(root, folder), { recursive: true });
  for (const name of [LENET, '--output=x', '-o', 'summary', 'a b;$(touch x)']) cpSync(join(SAMPLES, LENET), join(root, 'plain', name)); // prettier-ignore
  symlinkSync(join(outside, LENET), join(root, 'linked/link.json.gz'));
  cpSync(join(SAMPLES, LENET), join(root, 'linked/next.json.gz'));
  symlinkSync(outside, join(root, 'folder/deep/way-out'));
  for (const name of ['rank_0.json.gz', 'deep/rank_1.json.gz'])
    cpSync(join(SAMPLES, LENET), join(root, 'folder', name));
  symlinkSync(join(root, 'plain', LENET), join(root, 'plain/inside.json.gz'));
  symlinkSync(join(root, 'folder'), join(root, 'around/in'));
  // Readers open these next to a profile.
  for (const [name, target] of [
    ['kernel_annotations_rank0_1.json', 'secret.json'],
    ['a.sqlite-wal', 'secret.json'],
    ['x.neff', LENET],
    ['model', 'attention.neff'],
    ['gone', 'gone'],
  ] as const) {
    mkdirSync(join(root, 'beside', name), { recursive: true });
    cpSync(join(SAMPLES, LENET), join(root, 'beside', name, 'a.sqlite'));
    symlinkSync(join(outside, target), join(root, 'beside', name, name));
  }
  cpSync(join(SAMPLES, 'attention.neff'), join(outside, 'attention.neff'));
  return root;
}

describeWithProcess('hostile calls of dprof mcp', () => {
  const root = hostileRoot();
  const long = 'x'.repeat(5000);
  const plain = [`plain/${LENET}`];
  let session: Session;
  before(async () => {
    session = await Session.open('--root', root, '--timeout', '60');
  });
  after(() => session.client.close());

  /** Title, tool, arguments, error. */
  const refused: readonly (readonly [string, string, Readonly<Record<string, unknown>>, RegExp])[] = [
    ['a parent folder', 'summary', { profiles: ['../x'] }, /is outside the folders/],
    ['a parent folder on the way', 'summary', { profiles: [`plain/../../${basename(root)}-outside`] }, /is outside the folders/],
    ['an absolute path', 'summary', { profiles: ['/etc/passwd'] }, /is outside the folders/],
    ['an absolute path that does not exist', 'summary', { profiles: ['/etc/no-such-file'] }, /is outside the folders/],
    ['a link to a file outside', 'summary', { profiles: ['linked/link.json.gz'] }, /is outside the folders/],
    ['annotations behind a link', 'summary', { profiles: ['beside/kernel_annotations_rank0_1.json/a.sqlite'] }, /'kernel_annotations_rank0_1.json', which is outside/],
    ['the log of a database behind a link', 'summary', { profiles: ['beside/a.sqlite-wal/a.sqlite'] }, /'a.sqlite-wal', which is outside/],
    ['a program behind a link', 'summary', { profiles: ['beside/x.neff/a.sqlite'] }, /'x.neff', which is outside/],
    ['a program of any name behind a link', 'summary', { profiles: ['beside/model/a.sqlite'] }, /'model', which is outside/],
    ['a folder with a link to one that leaves', 'summary', { profiles: ['around'] }, /'way-out', which is outside/],
    ['a folder with a file that leaves', 'summary', { profiles: ['linked'] }, /'link.json.gz', which is outside/],
    ['a folder with a link that leaves', 'summary', { profiles: ['folder'] }, /'way-out', which is outside/],
    ['a path through such a link', 'summary', { profiles: [`folder/deep/way-out/${LENET}`] }, /is outside the folders/],
    ['list of a folder outside', 'list', { folder: '..' }, /is outside the folders/],
    ['a pattern', 'summary', { profiles: ['plain/*'] }, /no such file/],
    ['a pattern that leaves', 'summary', { profiles: ['../*'] }, /is outside the folders/],
    ['standard input', 'summary', { profiles: ['-'] }, /standard input is not read/],
    ['a NUL character', 'summary', { profiles: ['a\0b'] }, /NUL/],
    ['a huge path', 'summary', { profiles: [long] }, /4,000 characters/],
    ['a path of millions of characters', 'summary', { profiles: ['x'.repeat(3_000_000)] }, /4,000 characters/],
    ['an empty path', 'summary', { profiles: [''] }, /1 to 4,000 characters/],
    ['a path that is no string', 'summary', { profiles: [7] }, /takes a string/],
    ['no list of profiles', 'summary', { profiles: 'plain' }, /takes a list/],
    ['too many profiles', 'summary', { profiles: Array<string>(300).fill('plain') }, /takes a list of 1 to 256/],
    ['no profiles', 'summary', {}, /profiles is missing/],
    ['1e9 rows', 'kernels', { profiles: plain, top: 1e9 }, /top takes an integer from 1 to 1,000/],
    ['a huge answer', 'summary', { profiles: plain, max_chars: 1e9 }, /max_chars takes an integer from 500 to 40,000/],
    ['a huge filter', 'kernels', { profiles: plain, where: long }, /where takes 1 to 4,000 characters/],
    ['an option of the command that writes', 'summary', { profiles: plain, output: 'x' }, /unknown input "output"/],
    ['an option with dashes', 'summary', { profiles: plain, '--output': 'x' }, /unknown input "--output"/],
    ['the prototype', 'summary', JSON.parse(`{"profiles": ["plain"], "__proto__x": 1}`) as Record<string, unknown>, /unknown input/],
    ['peak rates from a file', 'summary', { profiles: plain, peaks: '/etc/passwd' }, /peaks takes one of/],
    ['peak rates by the old name', 'summary', { profiles: plain, device: '/etc/passwd.json' }, /device takes numbers/],
    ['a value that looks like an option', 'kernels', { profiles: plain, where: '--output=x' }, /dprof: /],
    ['a value that is an option', 'kernels', { profiles: plain, sort: '--output' }, /dprof: /],
    ['a command for the shell', 'kernels', { profiles: plain, by: 'op; touch x' }, /dprof: unknown column/],
    ['an unknown tool', 'sumary', {}, /no tool "sumary" \(did you mean summary\?\)/],
    ['another command', 'html', {}, /no tool "html"/],
  ]; // prettier-ignore

  for (const [title, name, given, message] of refused)
    it(`are refused: ${title}`, async () => {
      const { text, isError } = await session.call(name, given);
      expect(isError, text).to.equal(true);
      expect(text).to.match(message).and.not.include(SECRET);
    });

  /** Expects a verdict on each file. */
  async function expectChecked(profiles: readonly string[]): Promise<void> {
    const { text, isError } = await session.call('check', { profiles, max_chars: 40_000 });
    expect(isError, text).to.equal(false);
    expect(text).to.not.include(SECRET);
    const { answer } = JSON.parse(text) as { answer: readonly { file: string; verdict: unknown }[] };
    expect(answer.map(({ file }) => file)).to.have.members(profiles.map((path) => basename(path)));
    for (const { file, verdict } of answer) expect(verdict, file).to.be.a('string');
  }

  it('takes files for files, whatever their names', () =>
    expectChecked(['--output=x', '-o', 'summary', 'a b;$(touch x)', 'inside.json.gz'].map((name) => `plain/${name}`)));

  it('takes files next to links that no reader opens', () =>
    expectChecked(['linked/next.json.gz', 'folder/deep/rank_1.json.gz', 'beside/gone/a.sqlite']));

  it('follows no links in the list, and is alive after all of these', async () => {
    const { text } = await session.call('list', {});
    expect((JSON.parse(text) as { answer: { path: string }[] }).answer.map(({ path }) => path)).to.deep.equal([
      ...['folder/rank_0.json.gz', 'linked/next.json.gz'],
      ...['--output=x', '-o', 'a b;$(touch x)', LENET, 'summary'].map((name) => `plain/${name}`),
      ...['a.sqlite-wal', 'gone', 'kernel_annotations_rank0_1.json', 'model', 'x.neff'].map(
        (name) => `beside/${name}/a.sqlite`,
      ),
      'folder/deep/rank_1.json.gz',
    ]);
  });

  it('writes nothing', () => {
    const names = readdirSync(root, { recursive: true }).map(String);
    expect(names.filter((name) => /(?:^|\/)x$/.test(name))).to.deep.equal([]);
    expect(temporaryFiles()).to.deep.equal([]);
  });
});

/** A server without a client: its standard input is written by hand. */
function bareServer(...args: readonly string[]): ChildProcessWithoutNullStreams {
  mkdirSync(TMPDIR, { recursive: true });
  return spawn(process.execPath, [...commandOf('dprof'), 'mcp', ...args], {
    cwd: SAMPLES,
    env: { ...process.env, TMPDIR },
  });
}

const request = (id: number, method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;

const INITIALIZE = request(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

/** Processes whose parent is this one. */
function childrenOf(pid: number | undefined): string[] {
  const path = `/proc/${pid ?? 0}/task/${pid ?? 0}/children`;
  return readFileSync(path, 'utf8').split(' ').filter((word) => word !== ''); // prettier-ignore
}

const isRunning = (pid: string): boolean => {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch {
    return false;
  }
};

interface ServerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const endOf = (server: ChildProcessWithoutNullStreams): Promise<ServerEnd> =>
  new Promise((resolve) => {
    let [stdout, stderr] = ['', ''];
    server.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    server.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    server.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });

/** A profile that takes the command some time: a pipe, which nobody writes to, cannot be given. */
const SLOW = {
  name: 'critical_path',
  arguments: { profiles: ['job'], what_if: ['ranks: equal'] },
};

async function whileCalling(server: ChildProcessWithoutNullStreams): Promise<string[]> {
  server.stdin.write(INITIALIZE + request(2, 'tools/call', SLOW));
  for (let tries = 0; tries < 600; tries++) {
    const children = childrenOf(server.pid);
    if (children.length > 0) return children;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('no process was started');
}

describeWithProcess('the end of dprof mcp', () => {
  it('comes when its standard input ends; stdout has only the protocol', async () => {
    const server = bareServer();
    const end = endOf(server);
    server.stdin.end(
      `${INITIALIZE}not JSON\n{"jsonrpc":"2.0"}\n${request(2, 'tools/list', {})}${request(3, 'no/such', {})}`,
    );
    const { code, signal, stdout } = await end;
    expect({ code, signal }).to.deep.equal({ code: 0, signal: null });
    const lines = stdout.trim().split('\n').map((line) => JSON.parse(line) as { jsonrpc: string; id: number }); // prettier-ignore
    for (const line of lines) expect(line.jsonrpc).to.equal('2.0');
    expect(lines.map(({ id }) => id)).to.include(1);
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    it(`comes with ${signal}, and no process or file is left`, async () => {
      const server = bareServer();
      const end = endOf(server);
      const children = await whileCalling(server);
      server.kill(signal);
      expect((await end).signal).to.equal(signal);
      expect(children.filter(isRunning)).to.deep.equal([]);
      expect(temporaryFiles()).to.deep.equal([]);
    });

  it('ends the processes of calls when the input is closed', async () => {
    const server = bareServer();
    const end = endOf(server);
    const children = await whileCalling(server);
    server.stdin.end();
    expect(await end).to.include({ code: 0, signal: null, stderr: '' });
    expect(children.filter(isRunning)).to.deep.equal([]);
  });

  it('comes when the client reads no more', async () => {
    const server = bareServer();
    const end = new Promise<number | null>((resolve) => server.once('exit', resolve));
    server.stdout.destroy();
    server.stdin.write(INITIALIZE + request(2, 'tools/list', {}));
    expect(await end).to.equal(0);
  });

  it('comes with one line for a folder that does not exist', async () => {
    const ran = await endOf(bareServer('--root', 'no-such-folder'));
    expect(ran).to.include({ code: 1, stdout: '', stderr: 'dprof: no-such-folder: no such folder\n' });
  });
});

describeWithProcess('a call of dprof mcp', () => {
  let session: Session;
  before(async () => {
    session = await Session.open('--timeout', '2');
  });
  after(() => session.client.close());

  it('ends when the client cancels it', async () => {
    const stop = new AbortController();
    const call = session.client.callTool({ name: SLOW.name, arguments: SLOW.arguments }, undefined, {
      signal: stop.signal,
    });
    setTimeout(() => stop.abort('enough'), 50);
    const failure = await call.then(() => 'answered', (error: unknown) => String(error)); // prettier-ignore
    expect(failure).to.include('enough');
    const { text } = await session.call('check', { profiles: ['no-such-file'] });
    expect(text).to.equal(
      'no-such-file: no such file or folder (the tool list shows the profiles; dprof mcp --root FOLDER adds a folder)',
    );
  });

  describeSql('of a long query', () => {
    it('ends at its time limit', async () => {
      const query = 'SELECT sum(i) FROM range(1000000000000) AS t(i)';
      const { text, isError } = await session.call('sql', { profiles: [LENET], query });
      expect({ text, isError }).to.deep.equal({
        isError: true,
        text: 'no answer within 2 s (select a part with step, from and to, or dprof mcp --timeout)',
      });
    });
  });
});
