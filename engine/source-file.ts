/** The bytes of one uploaded file. The buffer is transferred to the worker, so it is detached on the sender's side. */
export interface SourceFile {
  data: ArrayBuffer;
  /** The original file name, if any; only its extension is used. */
  filename?: string;
}
