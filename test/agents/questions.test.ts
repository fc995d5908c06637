/**
 * Questions that the page for agents has to lead to the right answer: within ten calls and 20,000 characters, by commands of
 * its table. QUESTIONS_REPORT=1 prints the calls and answers.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { optionWords } from '../../src/cli/arguments.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { SKILL_COMMANDS } from '../../docs/pages/skill.js';
import { freshPath } from '../support/fresh-path.js';
import { runCli } from '../support/run-cli.js';
import { itShared, itSharedLong, ROOT } from '../support/shared.js';
import { results } from './path.js';
import { PROFILE_QUESTIONS, SAMPLE_QUESTIONS, typed, type Question } from './questions.js';

const MOST_CALLS = 10;
const MOST_CHARACTERS = 20_000;
/** Characters of an answer; the page recommends it. */
const CHARACTERS = '4000';

/** What a call is: the name of its command, or the option that stands for one. */
const kindOf = (words: readonly string[]): string => {
  const command = words.find((word) => Object.hasOwn(COMMANDS, word));
  return command ?? ['--explain', '--by'].find((option) => words.includes(option)) ?? 'kernels';
};

const inSkill = new Set(SKILL_COMMANDS.map(({ line }) => kindOf(line.split(' ').slice(1))));

/** The arguments with the options that the page recommends. */
const short = (args: readonly string[]): string[] => {
  const [first = '', ...others] = args;
  const options = ['-f', 'json', '--max-chars', CHARACTERS];
  return Object.hasOwn(COMMANDS, first) ? [first, ...options, ...others] : [...options, ...args];
};

const isClose = (found: unknown, right: unknown, within: number): boolean =>
  JSON.stringify(found) === JSON.stringify(right) ||
  (typeof found === 'number' && typeof right === 'number' && Math.abs(found - right) <= within * Math.abs(right));

/** Texts at a path; none where a document does not have it. */
function reasonsIn(document: unknown, path: string): string[] {
  try {
    return results(path, document).map(String);
  } catch {
    return [];
  }
}

async function ask(question: Question, paths: readonly string[]): Promise<void> {
  const { read, answer, within = 0, reason, raw } = question;
  const computed = raw(...paths);
  expect(isClose(computed, answer, within === 0 ? 0 : 1e-6), `right answer: ${JSON.stringify(computed)}`).to.equal(
    true,
  );
  const calls = question.calls(...paths);
  expect(calls.length).to.be.within(1, MOST_CALLS);
  const documents: unknown[] = [];
  let characters = 0;
  for (const words of calls) {
    const args = words.map((word) =>
      word.startsWith('{') ? String(results(word.slice(1, -1), documents.at(-1))[0]) : word,
    );
    expect([...inSkill]).to.include(kindOf(optionWords(args)));
    const { stdout, stderr } = await runCli('dprof', short(args));
    expect(stdout.length, `${typed(args)}: ${stderr}`).to.be.within(1, Number(CHARACTERS));
    characters += stdout.length;
    documents.push(JSON.parse(stdout));
  }
  expect(characters).to.be.at.most(MOST_CHARACTERS);
  const found = results(read, documents.at(-1))[0];
  const shown = JSON.stringify(found);
  if (process.env['QUESTIONS_REPORT'] === '1') {
    const line = [question.ask, calls.map(typed).join('; '), calls.length, characters, shown, JSON.stringify(answer)];
    process.stdout.write(`${line.join(' | ')}\n`);
  }
  expect(isClose(found, answer, within), `${shown} instead of ${JSON.stringify(answer)}`).to.equal(true);
  if (reason === undefined) return;
  const said = documents.flatMap((document) => reasonsIn(document, reason.read));
  expect(said.some((text) => reason.matches.test(text)), JSON.stringify(said)).to.equal(true); // prettier-ignore
}

const titleOf = ({ ask: text, profiles }: Question): string => `${text} (${profiles.join(', ')})`;

describe('questions of agents about samples', () => {
  for (const question of SAMPLE_QUESTIONS)
    it(titleOf(question), () => ask(question, question.profiles.map((path) => join(ROOT, path)))); // prettier-ignore
});

describe('questions of agents about real profiles', () => {
  for (const question of PROFILE_QUESTIONS)
    (question.isLong === true ? itSharedLong : itShared)(titleOf(question), question.profiles, (paths) =>
      ask(question, paths),
    );
});

describe('the questions of agents', () => {
  const all = [...SAMPLE_QUESTIONS, ...PROFILE_QUESTIONS];

  it('are at least twenty, with at least three that the profile cannot answer', () => {
    expect(all.length).to.be.at.least(20);
    expect(all.filter(({ reason }) => reason !== undefined).length).to.be.at.least(3);
  });
});

describe('the page for agents', () => {
  const page = readFileSync(join(ROOT, 'docs/skill/dprof/SKILL.md'), 'utf8');

  it('is a skill: a name that its folder has, a description, at most 150 lines', () => {
    const [, name = '', description = ''] =
      /^---\nname: ([a-z0-9-]{1,64})\ndescription: "([^"]+)"\n---\n/.exec(page) ?? [];
    expect(name).to.equal('dprof');
    expect(description.length).to.be.within(50, 1024);
    expect(page.trim().split('\n').length).to.be.at.most(150);
  });

  it('is what dprof help agents prints', async () => {
    expect((await runCli('dprof', ['help', 'agents'])).stdout).to.equal(page);
  });

  /** Inputs by their names on the page. */
  const INPUTS: Readonly<Record<string, string>> = {
    PROFILE: 'samples/lenet.pt.trace.json.gz',
    JOB: 'samples/job',
    BEFORE: 'samples/lenet.pt.trace.json.gz',
    AFTER: 'samples/lenet.pt.trace.json.gz',
  };

  /** What lines print that have no JSON. */
  const TEXTS: Readonly<Record<string, RegExp>> = { diff: /^# BASE .*\n# NEW /, repro: /^import torch$/m };

  /** Words of a line as a shell splits it. */
  const wordsOf = (line: string): string[] =>
    (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'|'$/g, '')); // prettier-ignore

  for (const { line } of SKILL_COMMANDS)
    it(`has a line that works: ${line}`, async function () {
      const script = freshPath('op.py');
      const [program, ...words] = wordsOf(line).map((word) => (word === 'op.py' ? script : (INPUTS[word] ?? word)));
      expect(program).to.equal('dprof');
      const file = line.includes(' memory ') ? 'samples/ascend_pt' : null;
      const { code, stdout, stderr } = await runCli('dprof', words.map((word) => (file !== null && word === INPUTS['PROFILE'] ? file : word))); // prettier-ignore
      if (stderr.includes('needs DuckDB')) return this.skip();
      expect(code, stderr).to.equal(0);
      if (line.includes('-f json')) expect(JSON.parse(stdout)).to.include.keys('answer', 'doubts', 'cannot');
      else
        expect(words.includes(script) ? readFileSync(script, 'utf8') : stdout).to.match(TEXTS[words[0] ?? ''] ?? /^$/);
    });
});
