import Database from 'better-sqlite3';
import { expect } from 'chai';
import { NsightDatabase } from '../../support/nsight-database.js';
import { NvprofDatabase } from '../../support/nvprof-database.js';
import { diagnosticsOf, headerOf } from '../../support/profile-records.js';
import { itShared } from '../../support/shared.js';

/** A database with further tables: of events, without rows, and of descriptions. */
function withTables(path: string): string {
  const db = new Database(path);
  db.exec(`CREATE TABLE SYSCALL (start, cpu); INSERT INTO SYSCALL VALUES (1, 2), (3, 4);
    CREATE TABLE GPU_METRICS (rawTimestamp, value); INSERT INTO GPU_METRICS VALUES (1, 2);
    CREATE TABLE METRIC_INSTANCE (correlationId, value); INSERT INTO METRIC_INSTANCE VALUES (1, 2);
    CREATE TABLE PERF_EVENT_SOC_OR_CPU_RAW_EVENT (id, count); INSERT INTO PERF_EVENT_SOC_OR_CPU_RAW_EVENT VALUES (1, 2);
    CREATE TABLE SYSCALL_EXIT (start, "end");
    CREATE TABLE PROCESSES (name); INSERT INTO PROCESSES VALUES ('python')`);
  db.close();
  return path;
}

describe('tables of events that no reader reads', () => {
  const databases = { nsight: new NsightDatabase().launch(1, ['a']), nvprof: new NvprofDatabase().launch(1, ['a']) };
  for (const [format, database] of Object.entries(databases)) {
    it(`${format}: have their rows counted, by table in the profile line`, () => {
      const path = withTables(database.write());
      expect(diagnosticsOf(path)).to.deep.equal({ 'event-not-read': 5 });
      const counters = 'PERF_EVENT_SOC_OR_CPU_RAW_EVENT: 1';
      expect(headerOf(path).facts).to.deep.equal({
        not_read: `GPU_METRICS: 1, METRIC_INSTANCE: 1, ${counters}, SYSCALL: 2`,
      });
    });

    it(`${format}: nothing is said where there are none`, () => {
      expect(headerOf(database.write())).to.not.have.property('facts');
    });
  }

  itShared('are as they stand in a real export', ['data/nsys/many_kernels_no_nvtx.sqlite'], ([path = '']) => {
    // sqlite3: tables with rows and a column start, timestamp, rawTimestamp or correlationId, less the eleven that are read.
    expect(headerOf(path).facts).to.equal(undefined);
  });
});
