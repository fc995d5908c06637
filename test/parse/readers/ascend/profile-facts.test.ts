/** profiler_info and profiler_metadata.json: which settings and variables are facts. */
import { expect } from 'chai';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { headerOf, recordsOf } from '../../../support/profile-records.js';
import { task, writeProfile } from '../../../support/ascend-trace.js';
import { itShared } from '../../../support/shared.js';

/** A profile of one product, with files in its folder. */
function profileWith(files: Readonly<Record<string, object>>): string {
  const path = writeProfile([task('MatMul', 'AI_CORE', 11, 30, 40)]);
  for (const [name, json] of Object.entries(files))
    writeFileSync(join(dirname(path), '..', name), JSON.stringify(json));
  return path;
}

describe('facts of an Ascend profile', () => {
  it('are the rank, versions and what the program added, and nothing else of the environment', () => {
    const config = { experimental_config: { _profiler_level: 'Level1', secret: 'secret' } };
    const tuned = { lr: 0.5, sizes: [2, 3], ENV_VARIABLES: 'secret', on: true, none: null };
    const path = profileWith({
      'profiler_info_5.json': { config, rank_id: 5, cann_version: '8.3' },
      'profiler_metadata.json': { ENV_VARIABLES: { TOKEN: 'secret' }, model: 'net', tuned },
    });
    const facts = {
      ...{ profiler_level: 'Level1', 'metadata.model': 'net', 'metadata.tuned.lr': 0.5 },
      ...{ 'metadata.tuned.sizes': '2,3', 'metadata.tuned.on': 'true' },
    };
    expect(headerOf(path)).to.deep.include({ rank: 5, tool: 'Ascend PyTorch Profiler (CANN 8.3)', facts });
    expect(JSON.stringify(recordsOf(path))).to.not.include('secret');
  });

  it('are every setting: lists joined, the schedule by part, what is off as none', () => {
    const common = { activities: ['CPU', 'NPU'], schedule: { wait: 1, skip_first: 40 }, with_flops: false };
    const experimental = { _export_type: ['text', 'db'], _gc_detect_threshold: null, record_op_args: true };
    const config = { common_config: common, experimental_config: { ...experimental, _host_sys: [] } };
    expect(headerOf(profileWith({ 'profiler_info.json': { config } })).facts).to.deep.equal({
      ...{ activities: 'CPU,NPU', 'schedule.wait': 1, 'schedule.skip_first': 40, with_flops: 'false' },
      ...{ export_type: 'text,db', gc_detect_threshold: 'none', record_op_args: 'true', host_sys: 'none' },
    });
    const threshold = { config: { experimental_config: { _gc_detect_threshold: 1.5 } } };
    expect(headerOf(profileWith({ 'profiler_info.json': threshold })).facts).to.deep.equal({
      gc_detect_threshold: 1.5,
    });
  });

  it('are the four variables that the guide of the profiler names, where they are set and numbers', () => {
    const variables = {
      ...{ ASCEND_GLOBAL_LOG_LEVEL: '1', HCCL_RDMA_TC: '0', HCCL_RDMA_SL: '', ACLNN_CACHE_LIMIT: 'x4096' },
      ...{ HCCL_ALGO: '7', PYTORCH_NPU_ALLOC_CONF: '8' },
    };
    expect(headerOf(profileWith({ 'profiler_metadata.json': { ENV_VARIABLES: variables } })).facts).to.deep.equal({
      ...{ 'env.ASCEND_GLOBAL_LOG_LEVEL': 1, 'env.HCCL_RDMA_TC': 0 },
    });
  });

  it('name the files of arguments of ops, which are not read', () => {
    const path = profileWith({});
    const folder = `${join(dirname(path), '..')}_op_args`;
    mkdirSync(folder);
    for (const name of ['a.json', 'b.json']) writeFileSync(join(folder, name), '{}');
    expect(headerOf(path).facts).to.deep.equal({ not_read: 'files of op_args: 2' });
  });

  itShared('are all 16 settings of a real profile', ['data/ascend/text_level1_rank0'], ([folder = '']) => {
    const { config } = JSON.parse(readFileSync(join(folder, 'profiler_info_0.json'), 'utf8')) as {
      readonly config: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    };
    const settings = Object.values(config).flatMap((group) => Object.keys(group));
    expect(settings).to.have.lengthOf(16);
    const facts = new Set(
      Object.keys(headerOf(join(folder, 'ASCEND_PROFILER_OUTPUT', 'trace_view.json')).facts ?? {}).map(
        (name) => name.split('.')[0],
      ),
    );
    expect(settings.filter((name) => !facts.has(name.replace(/^_/, '')))).to.deep.equal([]);
  });
});
