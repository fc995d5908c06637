/**
 * What each device adds to the memory of commands that keep times of all devices, at most: the help of each says so.
 * Measured with 20,000 devices of one kernel and one copy.
 */
export const DEVICE_MEMORY = '40 kB a device';
