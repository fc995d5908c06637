/** Name of the rule about several ranks: its findings are causes of what others find on each of them, and come first. */
export const JOB_RULE = 'job';
