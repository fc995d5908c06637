/** Plans of jobs: names, shares, the tree of merges, and the text of a plan. */
import { expect } from 'chai';
import fc from 'fast-check';
import {
  planText,
  readPlan,
  settingsDifference,
  tasksDifference,
  type JobPlan,
  type JobTask,
  itemsOf,
  rangesText,
  sharesBySize,
} from '../../../src/cli/commands/job/plan/job-plan.js';
import { mergeCounts, mergeTree, taskName } from '../../../src/cli/commands/job/plan/merge-tree.js';
import { numberList } from '../../../src/cli/arguments.js';
import { UserError } from '../../../src/record/errors.js';
import { propertyRuns } from '../../support/property-runs.js';

const MB = 1024 * 1024;

const taskOf = (path: string, number: number, size: number | null = 1): JobTask => ({
  ...{ number, path, size, mtime: size === null ? null : 1000 },
  name: taskName(path),
});

const planOf = (paths: readonly string[]): JobPlan => ({
  ...{ version: '1.0.0', by: null, device: null, operands: ['/in'], fanIn: 32 },
  tasks: paths.map((path, number) => taskOf(path, number)),
});

describe('names of tasks', () => {
  it('are readable, safe, and different for two profiles of one name', () => {
    const names = ['/a/rank_0.json.gz', '/b/rank_0.json.gz', '/a/it\'s\n"0" %j.json', '/a/.hidden', '/a/-o'].map(
      taskName,
    );
    expect(new Set(names).size).to.equal(names.length);
    for (const name of names) expect(name).to.match(/^[\w][\w.-]*-[0-9a-f]{12}$/);
    expect(names[0]).to.match(/^rank_0\.json\.gz-/);
  });

  it('fit into a file name, however long the path is', () => {
    expect(taskName(`/${'a'.repeat(300)}`)).to.have.length.below(100);
  });
});

describe('the text of a plan', () => {
  it('gives the plan again, whatever is in its paths', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (paths) => {
        const plan = planOf(paths.map((path) => `/${path}`));
        expect(readPlan(planText(plan), 'tasks.jsonl')).to.deep.equal(plan);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('has a line a task', () => {
    expect(planText(planOf(['/a\n', '/b'])).split('\n')).to.have.length(4);
  });

  it('is refused when it is cut off or something else', () => {
    const text = planText(planOf(['/a', '/b']));
    for (const wrong of ['', '{}', 'null', '[1', text.slice(0, -10), text.slice(0, text.lastIndexOf('{'))]) {
      expect(() => readPlan(wrong, 'tasks.jsonl'), wrong).to.throw(UserError, 'is not a job plan');
    }
  });
});

describe('two plans', () => {
  it('differ by settings and by profiles, in words', () => {
    const plan = planOf(['/a', '/b']);
    expect(settingsDifference(plan, plan)).to.equal(null);
    expect(settingsDifference(plan, { ...plan, by: 'op' })).to.equal('--by is not given there, op here');
    expect(tasksDifference(plan, planOf(['/b', '/a']))).to.equal(null);
    expect(tasksDifference(plan, planOf(['/a', '/b', '/c']))).to.equal(
      'its plan has 2 profiles, this command has 3: /c is not in it',
    );
    expect(tasksDifference(plan, planOf(['/a']))).to.equal(
      'its plan has 2 profiles, this command has 1: /b is not given here',
    );
  });
});

describe('shares', () => {
  it('have each item once, and differ by one item at most', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.integer({ min: 1, max: 20 }), (n, count) => {
        const items = Array.from({ length: n }, (_, i) => i);
        const shares = Array.from({ length: count }, (_, index) => itemsOf(items, { index, count }));
        expect(shares.flat().sort((a, b) => a - b)).to.deep.equal(items);
        const sizes = shares.map((share) => share.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).to.be.at.most(1);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('by size are small profiles together and large ones alone, in order', () => {
    const sizes = [1, 1, 40 * MB, 1, 20 * MB, 20 * MB, null];
    const tasks = sizes.map((size, i) => taskOf(`/${i}`, i, size));
    const numbers = (most: number): number[][] =>
      sharesBySize(tasks, most).map((share) => share.map(({ number }) => number));
    expect(numbers(16)).to.deep.equal([[0, 1], [2], [3, 4], [5, 6]]);
    expect(numbers(1)).to.deep.equal([[0], [1], [2], [3], [4], [5], [6]]);
    expect(sharesBySize([], 0)).to.deep.equal([]);
  });

  it('are written as ranges that can be read again', () => {
    expect(rangesText([0, 1, 2, 5, 7, 8])).to.equal('0-2,5,7-8');
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(1000), { minLength: 1 }), (numbers) => {
        const sorted = numbers.sort((a, b) => a - b);
        expect([...numberList('--tasks', rangesText(sorted))]).to.deep.equal(sorted);
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});

describe('the tree of merges', () => {
  const parts = (n: number): string[] => Array.from({ length: n }, (_, i) => `parts/${i}.part`);

  it('has one merge up to the bound, and levels above it', () => {
    expect(mergeTree([], 4)).to.deep.equal([]);
    expect(mergeTree(parts(4), 4).map((level) => level.length)).to.deep.equal([1]);
    expect(mergeTree(parts(5), 4).map((level) => level.length)).to.deep.equal([2, 1]);
    expect(mergeTree(parts(1000), 32).map((level) => level.length)).to.deep.equal([32, 1]);
    expect(mergeTree(parts(17), 4).map((level) => level.length)).to.deep.equal([5, 2, 1]);
  });

  it('reaches each part once, with as many inputs a merge as allowed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 2, max: 10 }), (n, fanIn) => {
        const levels = mergeTree(parts(n), fanIn);
        expect(mergeCounts(n, fanIn)).to.deep.equal(levels.slice(0, -1).map((level) => level.length));
        const inputs = new Map(levels.flat().map(({ output, inputs }) => [output, inputs]));
        const leaves = (file: string): string[] => inputs.get(file)?.flatMap(leaves) ?? [file];
        expect(leaves('job.part')).to.deep.equal(parts(n));
        for (const { inputs } of levels.flat()) expect(inputs).to.have.length.within(1, fanIn);
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  it('names merges by what is below them: another set of parts takes no file of before', () => {
    const outputs = (given: readonly string[]): string[] => mergeTree(given, 4).flatMap((level) => level.map(({ output }) => output)); // prettier-ignore
    const [all, fewer] = [outputs(parts(9)), outputs(parts(9).slice(1))];
    expect(all.filter((output) => output !== 'job.part' && fewer.includes(output))).to.deep.equal([]);
  });
});
