/** Jobs of Slurm as text: words of a shell, scripts, options, and what Slurm says of itself. */
import { expect } from 'chai';
import fc from 'fast-check';
import { inputWord, quoted, wordsOf } from '../../../src/write/shell-words.js';
import { mostInArray, stagesOf, submissionsOf, type Stage } from '../../../src/cli/commands/job/slurm/stages.js';
import { UsageError } from '../../../src/record/errors.js';
import { propertyRuns } from '../../support/property-runs.js';

describe('words of a shell', () => {
  it('are split as a shell splits them', () => {
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['--partition=x  --mem=4G', ['--partition=x', '--mem=4G']],
      [`--comment="two words" '--a b'c`, ['--comment=two words', '--a bc']],
      [String.raw`a\ b "\"\$\x" '\'`, ['a b', String.raw`"$\x`, '\\']],
      [`'' ""`, ['', '']],
      ['  ', []],
    ];
    for (const [text, words] of cases) expect(wordsOf('--sbatch', text), text).to.deep.equal(words);
  });

  it('are the same again after quoting, whatever is in them', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 })), (words) => {
        expect(wordsOf('--sbatch', words.map(quoted).join(' '))).to.deep.equal(words);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it('name an input in a command that is shown, safe in a shell and no option', () => {
    expect(inputWord('net.jsonl')).to.equal('net.jsonl');
    expect(inputWord("a'; rm b")).to.equal("'a'\\''; rm b'");
    expect(inputWord('-o')).to.equal('./-o');
    for (const unknown of [undefined, '-']) expect(inputWord(unknown)).to.equal('FILE');
  });

  it('with an open quote are refused', () => {
    expect(() => wordsOf('--sbatch', `--comment="x`)).to.throw(UsageError, '--sbatch has a quote that is not closed');
  });
});

const REQUEST = {
  ...{ program: ['/usr/bin/node', "/opt/it's/dprof.js"], folder: '/data/a job', place: 'slurm/1' },
  ...{ shares: 12, merges: [3], atOnce: 4 },
};

const script = (stages: readonly Stage[], name: string): string =>
  stages.find((stage) => stage.name === name)?.script ?? '';

describe('stages of a job of Slurm', () => {
  const stages = stagesOf(REQUEST);

  it('are tasks, those again that failed, merges by level, the report', () => {
    expect(stages.map(({ name, count }) => [name, count])).to.deep.equal([
      ['tasks', 12],
      ['again', 4],
      ['merge-1', 3],
      ['report', null],
    ]);
  });

  it('start the same node and dprof by absolute paths, quoted', () => {
    const program = String.raw`/usr/bin/node '/opt/it'\''s/dprof.js' job -o '/data/a job'`;
    for (const { script } of stages) expect(script).to.include(`${program} --`);
    expect(script(stages, 'tasks')).to.include(
      `sed -n "$((SLURM_ARRAY_TASK_ID + 1 + \${1:-0}))p" '/data/a job/slurm/1/shares.txt'`,
    );
    expect(script(stages, 'again')).to.include('--task "$SLURM_ARRAY_TASK_ID/4"');
    expect(script(stages, 'merge-1')).to.include('--merge --level 1 --task "$SLURM_ARRAY_TASK_ID/3"');
    expect(script(stages, 'report')).to.include("mv '/data/a job/slurm/1/exit'.new '/data/a job/slurm/1/exit'");
  });

  it('are arrays that Slurm takes, bounded, requeued, with logs in the folder', () => {
    const request = { folder: '/data/a job', title: 'a_job', atOnce: 4, mostInArray: 5, options: ['--mem=4G'] };
    const [tasks, , , report] = stages.map((stage) => submissionsOf(stage, request));
    expect(tasks?.map(({ args }) => args)).to.deep.equal([['0'], ['5'], ['10']]);
    expect(tasks?.map(({ options }) => options.at(-1))).to.deep.equal([
      '--array=0-4%4',
      '--array=0-4%4',
      '--array=0-1%4',
    ]);
    expect(tasks?.[0]?.options).to.include.members([
      '--mem=4G',
      '--requeue',
      '--open-mode=append',
      'dprof-a_job-tasks',
    ]);
    expect(tasks?.[0]?.options).to.include('logs/tasks-%A_%a.log');
    expect(report?.map(({ options }) => options.at(-1))).to.deep.equal(['logs/report-%j.log']);
  });
});

describe('the configuration of Slurm', () => {
  it('states how many jobs an array may have', () => {
    expect(mostInArray('MaxArraySize            = 5001\nMaxJobCount = 1\n')).to.equal(5001);
    expect(mostInArray('')).to.equal(1001);
  });
});
