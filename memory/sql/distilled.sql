-- Distilled memory belongs to a tenant, like the streams that it came from.
SELECT aresweb_isolate(relation) FROM unnest(ARRAY[
    'memory_experience', 'memory_vector', 'memory_distillation', 'memory_decision', 'memory_source', 'memory_revision',
    'memory_queueitem', 'memory_tenantsetting'
]::regclass[]) AS relation;

ALTER TABLE memory_experience ADD CONSTRAINT experience_of_tenant UNIQUE (tenant_id, id);
ALTER TABLE memory_distillation ADD CONSTRAINT distillation_of_tenant UNIQUE (tenant_id, id);
ALTER TABLE memory_experience ADD CONSTRAINT experience_superseded_by
    FOREIGN KEY (tenant_id, superseded_by_id) REFERENCES memory_experience (tenant_id, id);
ALTER TABLE memory_experience ADD CONSTRAINT experience_abstraction
    FOREIGN KEY (tenant_id, abstraction_id) REFERENCES memory_experience (tenant_id, id);
ALTER TABLE memory_decision ADD CONSTRAINT decision_distillation
    FOREIGN KEY (tenant_id, distillation_id) REFERENCES memory_distillation (tenant_id, id);
ALTER TABLE memory_decision ADD CONSTRAINT decision_experience
    FOREIGN KEY (tenant_id, experience_id) REFERENCES memory_experience (tenant_id, id);
ALTER TABLE memory_source ADD CONSTRAINT source_experience
    FOREIGN KEY (tenant_id, experience_id) REFERENCES memory_experience (tenant_id, id);
ALTER TABLE memory_revision ADD CONSTRAINT revision_experience
    FOREIGN KEY (tenant_id, experience_id) REFERENCES memory_experience (tenant_id, id);
