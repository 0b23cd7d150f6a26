/** The bytes of one uploaded file. The buffer is transferred to the worker: it is detached on the sender's side. */
export interface SourceFile {
  data: ArrayBuffer;
  /** The name it came with, if any; only its extension is used. */
  filename?: string;
}
