/**
 * Whether results can be stored: the disk has room and can be written. `unreachable`: the store of files, which is
 * elsewhere, does not answer or refuses the service.
 */
export type Writability = 'ok' | 'full' | 'failed' | 'unreachable';

export interface WriteProbe {
  read(): Promise<Writability>;
}
