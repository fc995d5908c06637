/** Python, which runs the scripts that dprof writes. A test that needs it says that it skips where there is none. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshPath } from './fresh-path.js';
import { mark } from './sets.js';
import { ROOT } from './shared.js';

/** Whether `python3` runs. */
const hasPython = (): boolean => spawnSync('python3', ['-c', 'pass']).status === 0;

let announced = false;

/** A test that starts Python. */
export function itWithPython(title: string, body: (this: Mocha.Context) => void | Promise<void>): void {
  mark(
    'process',
    it(title, function () {
      if (hasPython()) return body.call(this);
      if (!announced) process.stderr.write('tests of scripts are skipped: they need python3\n');
      announced = true;
      this.skip();
    }),
  );
}

/** What a run of Python wrote; `status` is its exit code. */
interface PythonRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

function python(args: readonly string[], input = '', env: Readonly<Record<string, string>> = {}): PythonRun {
  const { stdout, stderr, status } = spawnSync('python3', args, {
    input,
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: join(ROOT, 'test/support/torch-stub'), PYTHONDONTWRITEBYTECODE: '1', ...env },
  });
  return { stdout, stderr, status };
}

/** The scripts that Python cannot parse, each with its error; in one process. */
export function parseErrors(scripts: readonly string[]): string[] {
  const program = [
    'import ast, json, sys',
    'for i, script in enumerate(json.load(sys.stdin)):',
    '    try: ast.parse(script)',
    '    except SyntaxError as error: print(i, error)',
  ].join('\n');
  const { stdout, stderr } = python(['-c', program], JSON.stringify(scripts));
  return `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
}

/** The tokens of a script that are neither strings nor numbers nor comments: what it does, apart from its data. */
export function tokensOf(script: string): string[] {
  const program = [
    'import io, json, sys, tokenize',
    'skipped = (tokenize.STRING, tokenize.NUMBER, tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)',
    'tokens = tokenize.generate_tokens(io.StringIO(json.load(sys.stdin)).readline)',
    'print(json.dumps([token.string for token in tokens if token.type not in skipped]))',
  ].join('\n');
  return JSON.parse(python(['-c', program], JSON.stringify(script)).stdout) as string[];
}

/** An argument as the stub of PyTorch saw it. */
export type SeenArgument =
  | null
  | boolean
  | number
  | string
  | readonly SeenArgument[]
  | {
      readonly shape: readonly number[];
      readonly dtype: string;
      readonly strides: readonly number[];
      readonly device: string;
      /** Bound of indices. */
      readonly below?: number;
      readonly grad?: true;
    };

/** A call that the stub saw. */
interface SeenCall {
  readonly call: string;
  readonly args: readonly SeenArgument[];
  readonly kwargs: Readonly<Record<string, SeenArgument>>;
}

/** Runs a script with the stub of PyTorch. */
export function runScript(script: string): PythonRun & { readonly calls: readonly SeenCall[] } {
  const log = freshPath('.jsonl');
  const run = python(['-', '3'], script, { FAKE_TORCH_LOG: log });
  const lines = run.stderr.includes('Traceback') ? [] : readFileSync(log, 'utf8').split('\n');
  return { ...run, calls: lines.filter((line) => line !== '').map((line) => JSON.parse(line) as SeenCall) };
}
