/** Whether results can be stored: the disk has room and can be written. */
export type Writability = 'ok' | 'full' | 'failed';

export interface WriteProbe {
  read(): Promise<Writability>;
}
